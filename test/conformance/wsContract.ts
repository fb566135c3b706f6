/**
 * The documented WebSocket interface as data: topics, params, intervals, messages, fields and
 * types.
 */
import type { Fields } from './restContract.ts'

/** Elements of `params` after the topic. */
export type ContractParam = 'pair' | 'token' | 'chain' | 'interval' | 'klineItems' | 'ids'

export type ContractTopic = {
  topic: 'tx' | 'multi_tx' | 'liq' | 'kline' | 'multi_kline' | 'price'
  params: readonly ContractParam[]
  /** `topic` of the pushes. */
  pushTopic: string
  /** Paths to rows within the `result` of a push, and the fields of these rows. */
  rows: readonly { at: readonly string[]; fields: Fields }[]
  /** Fields that no row of this topic may have. */
  absent: readonly { at: readonly string[]; names: readonly string[] }[]
}

/** Members of every push except the main-pair switch. */
export const pushEnvelope: Fields = {
  id: 'integer',
  jsonrpc: 'string',
  result: 'object',
  sent_time: 'integer',
}

const swapTransaction: Fields = {
  amm: 'string',
  amount_eth: 'decimal',
  amount_usd: 'decimal',
  block_number: 'integer',
  chain: 'string',
  from_address: 'string',
  from_amount: 'decimal',
  from_price_eth: 'decimal',
  from_price_usd: 'decimal',
  from_reserve: 'decimal',
  from_symbol: 'string',
  id: 'string',
  pair_address: 'string',
  pair_liquidity_eth: 'decimal',
  pair_liquidity_usd: 'decimal',
  sender: 'string',
  target_token: 'string',
  time: 'integer',
  to: 'string',
  to_address: 'string',
  to_amount: 'decimal',
  to_price_eth: 'decimal',
  to_price_usd: 'decimal',
  to_reserve: 'decimal',
  to_symbol: 'string',
  transaction: 'string',
  tx_swap_type: 'integer',
  wallet_address: 'string',
}

/** Fields of the object that `profile` contains as JSON text. */
export const profileFields: Fields = {
  token0TotalHolding: 'number',
  token1TotalHolding: 'number',
  token0Address: 'string',
  token1Address: 'string',
  solTotalHolding: 'number',
  token0HasNewAccount: 'boolean',
  token0HasClosedAccount: 'boolean',
  token0HasClearedAccount: 'boolean',
  token1HasNewAccount: 'boolean',
  token1HasClosedAccount: 'boolean',
  token1HasClearedAccount: 'boolean',
}

const liquidityTransaction: Fields = {
  type: 'string',
  time: 'integer',
  chain: 'string',
  amm: 'string',
  transaction: 'string',
  block_number: 'integer',
  id: 'string',
  sender: 'string',
  wallet_address: 'string',
  pair_address: 'string',
  token0_address: 'string',
  token1_address: 'string',
  token0_symbol: 'string',
  token1_symbol: 'string',
  amount0: 'decimal',
  amount1: 'decimal',
  reserve0: 'decimal',
  reserve1: 'decimal',
  token0_price_usd: 'decimal',
  token1_price_usd: 'decimal',
  token0_price_eth: 'decimal',
  token1_price_eth: 'decimal',
  amount_usd: 'decimal',
  amount_eth: 'decimal',
  pair_liquidity_usd: 'decimal',
  pair_liquidity_eth: 'decimal',
}

const klineEth: Fields = {
  open: 'decimal',
  high: 'decimal',
  low: 'decimal',
  close: 'decimal',
  volume: 'decimal',
  time: 'integer',
}

const klineUsd: Fields = {
  ...klineEth,
  amount_24h: 'decimal',
  change: 'decimal',
  change_v2: 'decimal',
  count_24h: 'decimal',
  high_24h: 'decimal',
  low_24h: 'decimal',
  swap: 'string',
  volume_24h: 'decimal',
}

const klineRows = [
  { at: [], fields: { id: 'string', interval: 'string', kline: 'object', topic: 'string' } },
  { at: ['kline', 'eth'], fields: klineEth },
  { at: ['kline', 'usd'], fields: klineUsd },
] as const satisfies ContractTopic['rows']

const priceEntry: Fields = {
  chain: 'string',
  pair: 'string',
  is_main_pair: 'boolean',
  target_token: 'string',
  uprice: 'decimal',
  last_price: 'decimal',
  reserve0: 'decimal',
  reserve1: 'decimal',
  price_change: 'decimal',
  price_change_24h: 'decimal',
  volume_24_u: 'decimal',
  direction: 'string',
  time: 'integer',
  change: 'decimal',
  tvl: 'decimal',
  makers_24h: 'decimal',
  tx_amount_24h: 'decimal',
  tx_count_24h: 'decimal',
}

const txResult: Fields = { id: 'string', topic: 'string', tx: 'object' }

export const wsContract: readonly ContractTopic[] = [
  {
    topic: 'tx',
    params: ['pair', 'chain'],
    pushTopic: 'tx',
    absent: [],
    rows: [
      { at: [], fields: txResult },
      { at: ['tx'], fields: { ...swapTransaction, profile: 'string', tx_seq: 'string' } },
    ],
  },
  {
    topic: 'multi_tx',
    params: ['token', 'chain'],
    pushTopic: 'tx',
    absent: [{ at: ['tx'], names: ['profile', 'tx_seq'] }],
    rows: [
      { at: [], fields: txResult },
      { at: ['tx'], fields: swapTransaction },
    ],
  },
  {
    topic: 'liq',
    params: ['pair', 'chain'],
    pushTopic: 'liq',
    absent: [],
    rows: [
      { at: [], fields: txResult },
      { at: ['tx'], fields: liquidityTransaction },
    ],
  },
  {
    topic: 'kline',
    params: ['pair', 'interval', 'chain'],
    pushTopic: 'kline',
    absent: [],
    rows: klineRows,
  },
  {
    topic: 'multi_kline',
    params: ['klineItems'],
    pushTopic: 'kline',
    absent: [],
    rows: klineRows,
  },
  {
    topic: 'price',
    params: ['ids'],
    pushTopic: 'price',
    absent: [],
    rows: [
      { at: [], fields: { prices: 'array', topic: 'string' } },
      { at: ['prices', '*'], fields: priceEntry },
    ],
  },
]

/** Params to subscribe a topic for one pair and its token. */
export function contractParams(
  { topic, params }: ContractTopic,
  { pair, token, chain = 'local' }: { pair: string; token: string; chain?: string },
): unknown[] {
  const values: Record<ContractParam, readonly unknown[]> = {
    pair: [pair],
    token: [token],
    chain: [chain],
    interval: ['k15'],
    klineItems: [
      [pair, 'k15', chain],
      [pair, 's1', chain],
    ],
    ids: [[`${pair}-${chain}`, `${token}-${chain}`]],
  }
  return [topic, ...params.flatMap((param) => values[param])]
}

/** Items that the acknowledgement of such params lists. */
export function contractItems([topic, ...items]: readonly unknown[]): unknown {
  if (topic === 'price') return items[0]
  return topic === 'multi_kline' ? items : [items]
}

/** Names of intervals in subscriptions, and the names that pushes use for them. */
export const contractIntervals: Readonly<Record<string, string>> = {
  s1: 's1',
  k1: '1',
  k5: '5',
  k15: '15',
  k30: '30',
  k60: '60',
  k120: '120',
  k240: '240',
  k1440: '1440',
  k10080: '10080',
}

/** Rows of the main-pair switch, which has no `topic` and no `sent_time`. */
export const switchRows: readonly { at: readonly string[]; fields: Fields }[] = [
  { at: [], fields: { id: 'integer', jsonrpc: 'string', result: 'object' } },
  { at: ['result'], fields: { data: 'object', status: 'string' } },
  {
    at: ['result', 'data'],
    fields: {
      chain: 'string',
      event: 'string',
      id: 'string',
      new_main_pair: 'string',
      old_main_pair: 'string',
      tag: 'string',
      token: 'string',
      new_main_pair_data: 'object',
    },
  },
  {
    at: ['result', 'data', 'new_main_pair_data'],
    fields: {
      amm: 'string',
      chain: 'string',
      init_reserve0: 'number',
      init_reserve1: 'number',
      pair: 'string',
      reserve0: 'number',
      reserve1: 'number',
      tag: 'string',
      target_token: 'string',
      token0_address: 'string',
      token0_decimal: 'integer',
      token0_symbol: 'string',
      token1_address: 'string',
      token1_decimal: 'integer',
      token1_symbol: 'string',
      tvl: 'number',
    },
  },
]

/** Errors sent to a refused socket, which is then closed with 1008 and the same text. */
export const keyRefusals = {
  missing: 'Missing API Key',
  unknown: 'Unauthorized',
  revoked: 'Unauthorized',
  expired: 'API key expired',
  overSockets: 'Too Many Connections',
} as const
