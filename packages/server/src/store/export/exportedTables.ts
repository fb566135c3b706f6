import { klineIntervalsS } from '../../model/klines/kline.ts'

/** Names of exportable tables. */
export const exportedNames = ['swaps', 'liquidity', 'klines', 'pairs', 'tokens'] as const

export type ExportedName = (typeof exportedNames)[number]

/** Amounts are text, so that they stay exact. */
export type ExportColumn = { name: string; type: 'text' | 'integer' | 'double' | 'boolean' }

type SelectedColumn = ExportColumn & { sql: string }

/** How a table is read: rows `r`, pairs `p` with their tokens `t0` and `t1`. */
type ExportedTable = {
  columns: readonly SelectedColumn[]
  from: string
  /** The column of the time filter; null if its rows have no time. */
  time: string | null
  /** Order of all rows and of one pair's rows, as an index has them, so that nothing is sorted. */
  order: { all: string; ofPair: string }
}

const text = (name: string, sql: string): SelectedColumn => ({ name, sql, type: 'text' })
const integer = (name: string, sql: string): SelectedColumn => ({ name, sql, type: 'integer' })
const double = (name: string, sql: string): SelectedColumn => ({ name, sql, type: 'double' })
const boolean = (name: string, sql: string): SelectedColumn => ({ name, sql, type: 'boolean' })

/** Raw units as whole ones. A product is exact; a quotient would be rounded. */
const scaled = (amount: string, token: string) =>
  `trim_scale(${amount} * ('1e-' || ${token}.decimals)::numeric)::text`
const usd = (amount: string) => `trim_scale(${amount} * 0.00000001)::text`

const joinTokens = `JOIN tokens t0 ON t0.chain = p.chain AND t0.id = p.token0_id
  JOIN tokens t1 ON t1.chain = p.chain AND t1.id = p.token1_id`
const joinPair = `JOIN pairs p ON p.chain = r.chain AND p.id = r.pair_id ${joinTokens}`

const pairColumns = [
  text('pair', 'p.address'),
  text('token0', 't0.address'),
  text('token1', 't1.address'),
]

const originColumns: readonly SelectedColumn[] = [
  integer('block', 'r.block'),
  integer('log_index', 'r.idx'),
  integer('time_s', 'r.time_s'),
  text('tx_hash', 'r.tx_hash'),
  ...pairColumns,
  text('wallet', 'r.wallet'),
  text('sender', 'r.sender'),
  text('amount0', scaled('r.amount0', 't0')),
  text('amount1', scaled('r.amount1', 't1')),
  text('amount_usd', usd('r.amount_usd_e8')),
  text('amount_native_raw', 'trim_scale(r.amount_native_raw)::text'),
  text('reserve0', scaled('r.reserve0', 't0')),
  text('reserve1', scaled('r.reserve1', 't1')),
  double('price0_usd', 'r.price0_usd'),
  double('price1_usd', 'r.price1_usd'),
  double('price0_native', 'r.price0_native'),
  double('price1_native', 'r.price1_native'),
]

const byPlace = { all: 'r.block, r.idx', ofPair: 'r.time_s, r.block, r.idx' }
const byAddress = { all: 'r.id', ofPair: 'r.id' }

// The two shortest intervals have tables of their own.
const klineTables = ['klines_s1', 'klines_k1']

function klinesOf(interval: number): ExportedTable {
  const prices = ['usd', 'native'].flatMap((unit) =>
    ['open', 'high', 'low', 'close'].map((price) =>
      double(`${price}_${unit}`, `r.${unit}_${price}`),
    ),
  )
  const table = klineTables[interval] ?? `(SELECT * FROM klines WHERE interval = ${interval})`
  return {
    columns: [
      ...pairColumns,
      integer('interval_s', `${klineIntervalsS[interval]}`),
      integer('start_s', 'r.start_s'),
      ...prices,
      text('volume_usd', usd('r.volume_usd_e8')),
      text('volume_native_raw', 'trim_scale(r.volume_native_raw)::text'),
      integer('trades', 'r.count'),
    ],
    from: `${table} r ${joinPair}`,
    time: 'r.start_s',
    order: { all: 'r.pair_id, r.start_s', ofPair: 'r.start_s' },
  }
}

/** `interval` is an index into `klineIntervalsS`, for klines. */
export function exportedTableOf(name: ExportedName, interval: number): ExportedTable {
  if (name === 'klines') return klinesOf(interval)
  return tables[name]
}

const tables: Record<Exclude<ExportedName, 'klines'>, ExportedTable> = {
  swaps: {
    columns: [...originColumns, text('recipient', 'r.recipient'), boolean('is_buy', 'r.is_buy')],
    from: `swaps r ${joinPair}`,
    time: 'r.time_s',
    order: byPlace,
  },
  liquidity: {
    columns: [...originColumns, text('kind', 'r.kind')],
    from: `liquidity r ${joinPair}`,
    time: 'r.time_s',
    order: byPlace,
  },
  pairs: {
    columns: [
      ...pairColumns,
      text('symbol0', 't0.symbol'),
      text('symbol1', 't1.symbol'),
      text('amm', 'p.amm'),
      text('factory', 'p.factory'),
      boolean('is_trusted', 'p.is_trusted'),
      integer('fee_ppm', 'p.fee_ppm'),
      // 0 if its creation was not observed.
      integer('created_at_s', 'nullif(p.created_at_s, 0)'),
      text('platform', 'p.platform'),
    ],
    from: `pairs r JOIN pairs p ON p.chain = r.chain AND p.id = r.id ${joinTokens}`,
    time: null,
    order: byAddress,
  },
  tokens: {
    columns: [
      text('token', 'r.address'),
      text('symbol', 'r.symbol'),
      text('name', 'r.name'),
      integer('decimals', 'r.decimals'),
      integer('seen_at_s', 'r.seen_at_s'),
      text('total_supply', scaled('s.total', 'r')),
      integer('holders', 's.holders'),
    ],
    from: 'tokens r LEFT JOIN supplies s ON s.chain = r.chain AND s.id = r.id',
    time: null,
    order: byAddress,
  },
}
