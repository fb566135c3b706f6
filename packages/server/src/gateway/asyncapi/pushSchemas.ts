import { klineIntervalNames } from '../../model/kline.ts'
import type { JsonSchema } from '../operation.ts'
import {
  arrayOf,
  count,
  decimal,
  flag,
  number,
  objectOf,
  ref,
  text,
  timeS,
} from '../schemas/words.ts'
import { usdReasonSchema } from '../usdReason.ts'

/** What the pushes of every topic carry, by the name the document gives it. */

function orNull(schema: JsonSchema): JsonSchema {
  return { anyOf: [schema, { type: 'null' }] }
}

/** Members of each side of a trade or a pair, under its own prefix. */
function perSide(
  sides: readonly string[],
  membersOf: (side: string) => Readonly<Record<string, JsonSchema>>,
): Record<string, JsonSchema> {
  return Object.assign({}, ...sides.map(membersOf)) as Record<string, JsonSchema>
}

const valueProperties = {
  amount_eth: decimal,
  amount_usd: decimal,
  pair_liquidity_eth: decimal,
  pair_liquidity_usd: decimal,
  usd_reason: usdReasonSchema,
}

/** Of members that are there only where a pool is untrusted. */
const ofUntrusted = { optional: ['usd_reason'] }

const originProperties = {
  amm: text,
  block_number: count,
  chain: text,
  id: { type: 'string', pattern: '^\\d+-\\d+$', description: 'Block and index in it.' },
  pair_address: text,
  sender: text,
  time: timeS,
  transaction: text,
  wallet_address: text,
}

const swapProperties = {
  ...originProperties,
  ...valueProperties,
  direction: { enum: ['buy', 'sell'], description: 'Seen from `target_token`.' },
  ...perSide(['from', 'to'], (side) => ({
    [`${side}_address`]: text,
    [`${side}_amount`]: decimal,
    [`${side}_price_eth`]: decimal,
    [`${side}_price_usd`]: decimal,
    [`${side}_reserve`]: decimal,
    [`${side}_symbol`]: text,
  })),
  target_token: text,
  to: text,
  tx_swap_type: { enum: [0, 1], description: '0 buy, 1 sell.' },
  wallet_tag: { type: ['string', 'null'] },
}

const pairSwapProperties = {
  ...swapProperties,
  profile: {
    type: 'string',
    contentMediaType: 'application/json',
    description: 'A `Profile` as JSON text.',
  },
  tx_seq: { type: 'string', pattern: '^\\d+$', description: 'Index in the block.' },
}

const holdings = ['token0TotalHolding', 'token1TotalHolding', 'solTotalHolding']

const profileSchema: JsonSchema = {
  ...objectOf(
    {
      ...Object.fromEntries(holdings.map((name) => [name, number])),
      ...perSide(['token0', 'token1'], (side) => ({
        [`${side}Address`]: text,
        [`${side}HasNewAccount`]: flag,
        [`${side}HasClosedAccount`]: flag,
        [`${side}HasClearedAccount`]: flag,
      })),
    },
    { optional: holdings },
  ),
  description:
    'What the trader holds after the swap; `solTotalHolding` is of the coin of the chain. A holding that is not known is left out.',
}

const liquiditySchema: JsonSchema = objectOf(
  {
    ...originProperties,
    ...valueProperties,
    ...perSide(['0', '1'], (side) => ({
      [`amount${side}`]: decimal,
      [`reserve${side}`]: decimal,
      [`token${side}_address`]: text,
      [`token${side}_price_eth`]: decimal,
      [`token${side}_price_usd`]: decimal,
      [`token${side}_symbol`]: text,
    })),
    type: { enum: ['addLiquidity', 'removeLiquidity', 'createPair', 'collectFee'] },
  },
  ofUntrusted,
)

const ohlcProperties = {
  open: decimal,
  high: decimal,
  low: decimal,
  close: decimal,
  volume: decimal,
  time: timeS,
}

const klineUsdSchema: JsonSchema = objectOf(
  {
    ...ohlcProperties,
    amount_24h: decimal,
    change: decimal,
    change_v2: decimal,
    count_24h: { type: 'string', pattern: '^\\d+$' },
    high_24h: decimal,
    low_24h: decimal,
    swap: { const: '' },
    volume_24h: decimal,
    usd_reason: usdReasonSchema,
  },
  ofUntrusted,
)

const pairProperties = {
  amm: text,
  chain: text,
  pair: text,
  tag: text,
  target_token: text,
  ...perSide(['token0', 'token1'], (side) => ({
    [`${side}_address`]: text,
    [`${side}_decimal`]: count,
    [`${side}_symbol`]: text,
  })),
}

const mainPairSchema: JsonSchema = objectOf({
  ...pairProperties,
  init_reserve0: number,
  init_reserve1: number,
  reserve0: number,
  reserve1: number,
  tvl: number,
})

const switchSchema: JsonSchema = objectOf({
  chain: text,
  event: { const: 'switch_main_pair' },
  id: { type: 'string', description: '`<old_main_pair>-<chain>`.' },
  new_main_pair: text,
  old_main_pair: text,
  tag: text,
  token: text,
  new_main_pair_data: ref('MainPair'),
})

const countText = { type: 'string', pattern: '^\\d+$' }

const priceEntrySchema: JsonSchema = objectOf(
  {
    chain: text,
    pair: text,
    is_main_pair: flag,
    target_token: text,
    token: text,
    uprice: { ...decimal, description: 'USD now.' },
    last_price: { ...decimal, description: 'USD before.' },
    reserve0: decimal,
    reserve1: decimal,
    price_change: decimal,
    price_change_24h: decimal,
    volume_24_u: decimal,
    direction: { enum: ['up', 'down', 'flat'] },
    time: timeS,
    change: decimal,
    tvl: decimal,
    makers_24h: countText,
    tx_amount_24h: decimal,
    tx_count_24h: countText,
    usd_reason: usdReasonSchema,
  },
  ofUntrusted,
)

const trendingTokenSchema: JsonSchema = objectOf({
  current_price_usd: decimal,
  main_pair: text,
  name: text,
  price_change_24h: decimal,
  rank: { type: 'integer', minimum: 1 },
  rank_before: orNull({ type: 'integer', minimum: 1 }),
  symbol: text,
  token: text,
  tx_count_24h: count,
  tx_volume_u_24h: decimal,
})

const newPairSchema: JsonSchema = objectOf(
  {
    ...pairProperties,
    created_at: timeS,
    is_trusted: flag,
    reserve0: decimal,
    reserve1: decimal,
    tvl: decimal,
    usd_reason: usdReasonSchema,
  },
  // Of a pair that a reorg took back, these are not known any more.
  { optional: ['reserve0', 'reserve1', 'tvl', 'usd_reason'] },
)

const snapshotFlag = { const: true, description: 'Part of the state that was asked for first.' }
const retractedFlag = { const: true, description: 'Taken back by a reorg.' }

/** A result about one pair, with what opted-in subscriptions may find beside it. */
function resultOf(topic: string, members: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return objectOf(
    {
      ...members,
      topic: { const: topic },
      snapshot: snapshotFlag,
      retracted: retractedFlag,
    },
    { optional: ['snapshot', 'retracted'] },
  )
}

const intervalWords = klineIntervalNames.map((name) => name.replace(/^k/, ''))

const klineResult: JsonSchema = objectOf(
  {
    id: { type: 'string', description: '`<pair>-<chain>`.' },
    interval: { enum: intervalWords, description: '`s1`, or minutes.' },
    kline: objectOf({ eth: ref('KlineEth'), usd: ref('KlineUsd') }),
    topic: { const: 'kline' },
    revision: { ...count, description: 'How often a reorg corrected this kline.' },
    final: { ...flag, description: 'The kline has ended.' },
    snapshot: snapshotFlag,
    retracted: retractedFlag,
  },
  { optional: ['revision', 'final', 'snapshot', 'retracted'] },
)

/** Places and times of opted-in subscriptions. */
const detailProperties = {
  cursor: orNull({ type: 'string', description: 'Where the reader stands after this message.' }),
  block_time: orNull(timeS),
  received_time: orNull({ ...count, description: 'Unix milliseconds.' }),
}

const idProperty = {
  type: 'integer',
  description: 'Of the request that made the subscription; 0 if it had none.',
}

function pushOf(result: JsonSchema, { hasSentTime = true } = {}): JsonSchema {
  const sent = { sent_time: { ...count, description: 'Unix milliseconds.' } }
  return objectOf(
    {
      id: idProperty,
      jsonrpc: { const: '2.0' },
      result,
      ...detailProperties,
      ...(hasSentTime ? sent : {}),
    },
    { optional: Object.keys(detailProperties) },
  )
}

const heartbeatResult: JsonSchema = objectOf({
  chain: text,
  head_age_s: orNull({ type: 'integer' }),
  head_block: orNull(count),
  head_time: orNull(timeS),
  state: { enum: ['catching_up', 'live', 'lagging'] },
  tip_block: orNull(count),
  topic: { const: 'heartbeat' },
})

export const pushSchemas: Readonly<Record<string, JsonSchema>> = {
  PairSwap: objectOf(pairSwapProperties, ofUntrusted),
  TokenSwap: {
    ...objectOf(swapProperties, ofUntrusted),
    not: { anyOf: [{ required: ['profile'] }, { required: ['tx_seq'] }] },
  },
  Profile: profileSchema,
  Liquidity: liquiditySchema,
  KlineEth: objectOf(ohlcProperties),
  KlineUsd: klineUsdSchema,
  MainPair: mainPairSchema,
  PriceEntry: priceEntrySchema,
  TrendingToken: trendingTokenSchema,
  NewPair: newPairSchema,
  TxPush: pushOf(resultOf('tx', { id: text, tx: ref('PairSwap') })),
  MultiTxPush: pushOf(resultOf('tx', { id: text, tx: ref('TokenSwap') })),
  LiqPush: pushOf(resultOf('liq', { id: text, tx: ref('Liquidity') })),
  KlinePush: pushOf(klineResult),
  SwitchPush: pushOf(objectOf({ data: switchSchema, status: { const: 'ok' } }), {
    hasSentTime: false,
  }),
  PricePush: pushOf(resultOf('price', { prices: arrayOf(ref('PriceEntry')) })),
  TrendingPush: pushOf(
    resultOf('trending', { chain: text, tokens: arrayOf(ref('TrendingToken')) }),
  ),
  NewPairsPush: pushOf(
    resultOf('new_pairs', {
      event: { enum: ['created', 'graduated'] },
      id: text,
      pair: ref('NewPair'),
    }),
  ),
  HeartbeatPush: pushOf(heartbeatResult),
  LaggedNotice: objectOf({
    id: idProperty,
    jsonrpc: { const: '2.0' },
    result: objectOf({ status: { const: 'lagged' }, cursor: text }),
  }),
}
