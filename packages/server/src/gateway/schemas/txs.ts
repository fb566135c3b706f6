import type { JsonSchema } from '../operation.ts'
import { usdReasonSchema } from '../usdReason.ts'
import { arrayOf, count, decimal, objectOf, text, timeS } from './words.ts'

const sharedProperties = {
  id: text,
  chain: text,
  amm: text,
  pair_address: text,
  tx_time: timeS,
  block_number: count,
  amount_usd: decimal,
  amount_eth: decimal,
  usd_reason: usdReasonSchema,
  pair_liquidity_usd: decimal,
  pair_liquidity_eth: decimal,
  wallet_address: text,
}

// Only of untrusted pools.
const optional = ['usd_reason']

const sideProperties = Object.fromEntries(
  ['from', 'to'].flatMap((side) => [
    [`${side}_token_address`, text],
    [`${side}_token_symbol`, text],
    [`${side}_token_amount`, decimal],
    [`${side}_token_reserve`, decimal],
    [`${side}_token_price_usd`, decimal],
    [`${side}_token_price_eth`, decimal],
  ]),
)

const swapProperties = {
  ...sharedProperties,
  ...sideProperties,
  tx_hash: text,
  direction: { type: 'string', enum: ['buy', 'sell'] },
  wallet_tag: { type: ['string', 'null'] },
  sender_address: text,
  to_address: text,
}

export const swapTxSchema: JsonSchema = objectOf(swapProperties, { optional })
/** With its time as text as well, which pages are turned by. */
export const walletTxSchema: JsonSchema = objectOf({ ...swapProperties, time: text }, { optional })

const tokenProperties = Object.fromEntries(
  [0, 1].flatMap((side) => [
    [`token${side}_address`, text],
    [`token${side}_symbol`, text],
    [`amount${side}`, decimal],
    [`reserve${side}`, decimal],
    [`token${side}_price_usd`, decimal],
    [`token${side}_price_eth`, decimal],
  ]),
)

export const liquidityTxSchema: JsonSchema = objectOf(
  {
    ...sharedProperties,
    ...tokenProperties,
    type: { type: 'string', enum: ['addLiquidity', 'removeLiquidity', 'createPair', 'collectFee'] },
    transaction: text,
    sender: text,
  },
  { optional },
)

export function txsSchema(row: JsonSchema): JsonSchema {
  return objectOf({
    txs: arrayOf(row),
    total_count: count,
    to_time: timeS,
    limit: count,
    pair_id: text,
  })
}
