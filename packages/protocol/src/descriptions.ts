/**
 * The descriptions themselves, from which documents and encoders are made. Clients only need the
 * types, which cost nothing.
 */

export { answerRows, messageRows, orEmptyRows } from './allRows.ts'
export {
  pairDay,
  pairNames,
  pairNow,
  pairWindowFields,
  tokenPairDay,
  tokenPairFacts,
  tokenPairNow,
} from './answers/pair.ts'
export {
  priceDay,
  priceId,
  priceNow,
  tokenDay,
  tokenNames,
  tokenNow,
  tokenSupply,
  tokenWindowFields,
} from './answers/token.ts'
export type { ConstantField, Field, Fields, Row, Shape, TypeOf } from './describe.ts'
export {
  allOf,
  type JsonSchema,
  orEmptyName,
  orEmptySchema,
  rowSchema,
  schemaRef,
} from './jsonSchema.ts'
export {
  klineDay,
  klineEth,
  klineUnits,
  klineUsdEnd,
  klineUsdStart,
  mainPair,
  mainPairSwitch,
} from './pushes/kline.ts'
export {
  heartbeat,
  holders,
  launch,
  newPair,
  pushedPrice,
  topHolder,
  trendingToken,
} from './pushes/market.ts'
export {
  holdersResult,
  klineResult,
  launchesResult,
  liqResult,
  newPairsResult,
  priceResult,
  screenerResult,
  switchResult,
  tradesResult,
  trendingResult,
  txResult,
  walletResult,
} from './pushes/results.ts'
export { screenedRow } from './pushes/screened.ts'
export { liquidity, ofPairSwap, profile, tokenSwap } from './pushes/trade.ts'
