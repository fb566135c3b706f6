/** The documented REST interface as data: operations, inputs, limits, fields and types. */

export type FieldType = 'string' | 'decimal' | 'integer' | 'number' | 'boolean' | 'object' | 'array'
export type Fields = Readonly<Record<string, FieldType>>

export type ContractInput =
  | { name: string; kind: 'text'; isRequired: boolean }
  | { name: string; kind: 'integer'; default: number; min: number; max: number | null }
  | { name: string; kind: 'word'; default: string; words: readonly string[] }
  | { name: 'token-id' | 'pair-id'; kind: 'path' }
  | { name: string; kind: 'ids'; max: number }
  | { name: string; kind: 'threshold'; default: number }

export type ContractOperation = {
  method: 'GET' | 'POST'
  path: string
  cost: number
  inputs: readonly ContractInput[]
  /** Type of the whole body. */
  body: 'array' | 'object'
  /** Paths to rows within the body, and the fields of these rows. */
  rows: { at: readonly string[]; fields: Fields }[]
}

const tokenInfo: Fields = {
  name: 'string',
  symbol: 'string',
  chain: 'string',
  current_price_usd: 'decimal',
  market_cap: 'decimal',
  holders: 'integer',
  tvl: 'decimal',
  logo_url: 'string',
  updated_at: 'integer',
}

const tokenPair: Fields = {
  amm: 'string',
  chain: 'string',
  pair: 'string',
  price_change: 'decimal',
  price_change_24h: 'decimal',
  token0_symbol: 'string',
  token1_symbol: 'string',
  token0_price_usd: 'decimal',
  token1_price_usd: 'decimal',
  volume_u: 'decimal',
  updated_at: 'integer',
}

const tokenHolder: Fields = {
  holder: 'string',
  balance_ratio: 'number',
  balance_usd: 'number',
  main_coin_balance: 'number',
  address: 'string',
  amount_cur: 'number',
}

const mainToken: Fields = { token: 'string', ...tokenInfo }

const windows = ['5m', '1h', '4h', '24h']
const windowFields: Fields = Object.fromEntries(
  windows.flatMap((name): [string, FieldType][] => [
    [`token_price_change_${name}`, 'decimal'],
    [`token_tx_volume_usd_${name}`, 'decimal'],
    [`token_buy_tx_volume_usd_${name}`, 'decimal'],
    [`token_sell_tx_volume_usd_${name}`, 'decimal'],
    [`token_tx_count_${name}`, 'integer'],
    [`token_buy_tx_count_${name}`, 'integer'],
    [`token_sell_tx_count_${name}`, 'integer'],
    [`token_makers_${name}`, 'integer'],
    [`token_buyers_${name}`, 'integer'],
    [`token_sellers_${name}`, 'integer'],
  ]),
)

/** Fields that every row about a token has. */
const tokenRow: Fields = {
  ...mainToken,
  decimal: 'integer',
  current_price_eth: 'decimal',
  price_change_1d: 'decimal',
  price_change_24h: 'decimal',
  tx_volume_u_24h: 'decimal',
  tx_count_24h: 'integer',
  tx_amount_24h: 'decimal',
  fdv: 'decimal',
  main_pair: 'string',
  main_pair_tvl: 'decimal',
  total: 'decimal',
  lock_amount: 'decimal',
  burn_amount: 'decimal',
  other_amount: 'decimal',
  locked_percent: 'decimal',
  launch_price: 'decimal',
  launch_at: 'integer',
  created_at: 'integer',
  issue_platform: 'string',
  ...windowFields,
}

const tokenPrice: Fields = {
  current_price_usd: 'decimal',
  price_change_1d: 'decimal',
  price_change_24h: 'decimal',
  tvl: 'decimal',
  fdv: 'decimal',
  market_cap: 'decimal',
  tx_volume_u_24h: 'decimal',
  token_id: 'string',
  updated_at: 'integer',
}

const pairDetail: Fields = {
  pair: 'string',
  chain: 'string',
  amm: 'string',
  target_token: 'string',
  token0_address: 'string',
  token0_symbol: 'string',
  token0_decimal: 'integer',
  token1_address: 'string',
  token1_symbol: 'string',
  token1_decimal: 'integer',
  token0_price_usd: 'decimal',
  token1_price_usd: 'decimal',
  reserve0: 'decimal',
  reserve1: 'decimal',
  tvl: 'decimal',
  market_cap: 'decimal',
  fdv: 'decimal',
  volume_u_24h: 'decimal',
  tx_24h_count: 'integer',
  makers_24h: 'integer',
  first_trade_block_number: 'integer',
  sniper_tx_count: 'integer',
  created_at: 'integer',
  updated_at: 'integer',
}

const contractRisk: Fields = {
  token: 'string',
  chain: 'string',
  token_name: 'string',
  token_symbol: 'string',
  decimal: 'string',
  total: 'decimal',
  holders: 'integer',
  risk_score: 'integer',
  risk_level: 'integer',
  is_listed: 'integer',
  is_honeypot: 'integer',
  has_mint_method: 'integer',
  has_black_method: 'integer',
  is_proxy: 'string',
  updated_at: 'integer',
  checked_block: 'integer',
}

export const restContract: readonly ContractOperation[] = [
  {
    method: 'POST',
    path: '/v2/tokens/price',
    cost: 100,
    body: 'object',
    inputs: [
      { name: 'token_ids', kind: 'ids', max: 200 },
      { name: 'tvl_min', kind: 'threshold', default: 1_000 },
      { name: 'tx_24h_volume_min', kind: 'threshold', default: 0 },
    ],
    rows: [{ at: ['*'], fields: tokenPrice }],
  },
  {
    method: 'POST',
    path: '/v2/tokens/search',
    cost: 100,
    body: 'object',
    inputs: [{ name: 'token_ids', kind: 'ids', max: 50 }],
    rows: [{ at: ['*'], fields: tokenRow }],
  },
  {
    method: 'GET',
    path: '/v2/tokens',
    cost: 5,
    body: 'array',
    inputs: [
      { name: 'keyword', kind: 'text', isRequired: true },
      { name: 'chain', kind: 'text', isRequired: false },
      { name: 'limit', kind: 'integer', default: 100, min: 1, max: 300 },
      {
        name: 'orderby',
        kind: 'word',
        default: 'tx_volume_u_24h',
        words: ['tx_volume_u_24h', 'market_cap', 'main_pair_tvl', 'fdv'],
      },
    ],
    rows: [{ at: ['*'], fields: tokenRow }],
  },
  {
    method: 'GET',
    path: '/v2/tokens/{token-id}',
    cost: 5,
    body: 'object',
    inputs: [{ name: 'token-id', kind: 'path' }],
    rows: [
      {
        at: [],
        fields: { status: 'integer', msg: 'string', data_type: 'integer', data: 'object' },
      },
      { at: ['data'], fields: { is_audited: 'boolean', pairs: 'array', token: 'object' } },
      { at: ['data', 'token'], fields: tokenRow },
      { at: ['data', 'pairs', '*'], fields: tokenPair },
    ],
  },
  {
    method: 'GET',
    path: '/v2/contracts/{token-id}',
    cost: 10,
    body: 'object',
    inputs: [{ name: 'token-id', kind: 'path' }],
    rows: [{ at: [], fields: contractRisk }],
  },
  {
    method: 'GET',
    path: '/v2/tokens/top100/{token-id}',
    cost: 10,
    body: 'array',
    inputs: [
      { name: 'token-id', kind: 'path' },
      { name: 'limit', kind: 'integer', default: 100, min: 1, max: 100 },
    ],
    rows: [{ at: ['*'], fields: tokenHolder }],
  },
  {
    method: 'GET',
    path: '/v2/tokens/main',
    cost: 5,
    body: 'array',
    inputs: [{ name: 'chain', kind: 'text', isRequired: true }],
    rows: [{ at: ['*'], fields: mainToken }],
  },
  {
    method: 'GET',
    path: '/v2/tokens/trending',
    cost: 5,
    body: 'object',
    inputs: [
      { name: 'chain', kind: 'text', isRequired: true },
      { name: 'current_page', kind: 'integer', default: 0, min: 0, max: null },
      { name: 'page_size', kind: 'integer', default: 50, min: 1, max: 100 },
    ],
    rows: [
      { at: [], fields: { current_page_size: 'integer', next_page: 'integer', tokens: 'array' } },
      { at: ['tokens', '*'], fields: tokenRow },
    ],
  },
  {
    method: 'GET',
    path: '/v2/tokens/platform',
    cost: 10,
    body: 'array',
    inputs: [
      { name: 'tag', kind: 'text', isRequired: true },
      { name: 'limit', kind: 'integer', default: 100, min: 1, max: 300 },
      {
        name: 'orderby',
        kind: 'word',
        default: 'tx_volume_u_24h',
        words: ['tx_volume_u_24h', 'main_pair_tvl'],
      },
    ],
    rows: [{ at: ['*'], fields: tokenRow }],
  },
  {
    method: 'GET',
    path: '/v2/pairs/{pair-id}',
    cost: 5,
    body: 'object',
    inputs: [{ name: 'pair-id', kind: 'path' }],
    rows: [{ at: [], fields: pairDetail }],
  },
]
