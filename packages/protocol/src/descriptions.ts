/** The descriptions themselves: what documents and encoders are made of. Clients need the types alone, which cost nothing. */

export { answerRows, messageRows } from './allRows.ts'
export {
  pairDay,
  pairFigures,
  pairNames,
  pairNow,
  pairWindows,
  tokenPairDay,
  tokenPairFacts,
  tokenPairNow,
} from './answers/pair.ts'
export { windowNames } from './answers/shared.ts'
export {
  priceEntry,
  tokenDay,
  tokenNames,
  tokenNow,
  tokenSupply,
  tokenWindows,
} from './answers/token.ts'
export type {
  ConstantField,
  Field,
  Fields,
  ObjectOf,
  Row,
  Shape,
  TypeOf,
  Unit,
} from './describe.ts'
export { fieldDocs } from './fieldDocs.ts'
export { fieldSchema, type JsonSchema, objectSchema, rowSchema, schemaRef } from './jsonSchema.ts'
export { klineDay, klineEth, klineUsd, mainPair, mainPairSwitch } from './pushes/kline.ts'
export { heartbeat, newPair, pushedPrice, trendingToken } from './pushes/market.ts'
export {
  klineResult,
  liqResult,
  multiTxResult,
  newPairsResult,
  priceResult,
  pushDetails,
  switchResult,
  trendingResult,
  txResult,
} from './pushes/results.ts'
export { liquidity, ofPairSwap, profile, tokenSwap } from './pushes/trade.ts'
