import type { Pool } from 'pg'
import type { BlockTime } from '../../model/block.ts'
import type { Kline } from '../../model/klines/kline.ts'
import type { LiquidityEvent, PairValuation, SwapEvent } from '../../model/marketEvent.ts'
import type { LiquidityKind } from '../../model/pool.ts'
import { klineTableOf } from '../write/rows/historyRows.ts'

export type HistoryQuery = {
  chainId: number
  pairId: number
  /** First second, inclusive. */
  fromS: number
  /** Last second, inclusive. */
  toS: number
  limit: number
  order: 'asc' | 'desc'
  /** Excludes later blocks. */
  blockMax?: number
}

export type LiquidityQuery = HistoryQuery & {
  /** Only these kinds. */
  kinds?: readonly LiquidityKind[]
}

/** Above every block number. */
const anyBlock = Number.MAX_SAFE_INTEGER

export type StoredSwap = { blockNumber: number; event: SwapEvent } & BlockTime
export type StoredLiquidity = { blockNumber: number; event: LiquidityEvent } & BlockTime

type OriginRow = {
  block: number
  idx: number
  time_s: number
  time_ms: number | null
  pair_id: number
  tx_hash: string
  wallet: string
  sender: string
  amount0: string
  amount1: string
  reserve0: string | null
  reserve1: string | null
  price_raw: number
  price0_usd: number | null
  price1_usd: number | null
  price0_native: number | null
  price1_native: number | null
  liquidity_usd: number | null
  liquidity_native: number | null
  amount_usd_e8: string
  amount_native_raw: string
}

export type SwapRow = OriginRow & {
  recipient: string
  is_buy: boolean
  holding0: string | null
  holding1: string | null
  holding_native: string | null
  account_flags: number
}

type LiquidityRow = OriginRow & { kind: LiquidityKind }

export async function loadSwaps(pool: Pool, query: HistoryQuery): Promise<StoredSwap[]> {
  const rows = await loadRows<SwapRow>(pool, 'swaps', query)
  return rows.map(storedSwapOf)
}

export async function loadLiquidity(pool: Pool, query: LiquidityQuery): Promise<StoredLiquidity[]> {
  const { kinds = null } = query
  const rows = await loadRows<LiquidityRow>(pool, 'liquidity', query, kinds)
  return rows.map((row) => ({ ...placeOf(row), event: liquidityOf(row) }))
}

async function loadRows<row extends OriginRow>(
  pool: Pool,
  table: 'swaps' | 'liquidity',
  { chainId, pairId, fromS, toS, limit, order, blockMax = anyBlock }: HistoryQuery,
  kinds: readonly LiquidityKind[] | null = null,
): Promise<row[]> {
  const ofKind = kinds === null ? '' : 'AND kind = ANY($7::text[])'
  const { rows } = await pool.query<row>({
    name: `load-${table}-${order}${kinds === null ? '' : '-kinds'}`,
    text: `SELECT * FROM ${table}
           WHERE chain = $1 AND pair_id = $2 AND time_s >= $3 AND time_s <= $4 AND block <= $6 ${ofKind}
           ORDER BY time_s ${order}, block ${order}, idx ${order} LIMIT $5`,
    values: [...[chainId, pairId, fromS, toS, limit, blockMax], ...(kinds === null ? [] : [kinds])],
  })
  return rows
}

export function storedSwapOf(row: SwapRow): StoredSwap {
  return { ...placeOf(row), event: swapOf(row) }
}

function placeOf({ block, time_s, time_ms }: OriginRow): { blockNumber: number } & BlockTime {
  const place = { blockNumber: block, timeS: time_s }
  return time_ms === null ? place : { ...place, timeMs: time_ms }
}

function swapOf(row: SwapRow): SwapEvent {
  return {
    type: 'swap',
    swap: {
      type: 'swap',
      ...originOf(row),
      to: row.recipient,
      holding0: bigintOf(row.holding0),
      holding1: bigintOf(row.holding1),
      native: bigintOf(row.holding_native),
      accountFlags: row.account_flags,
    },
    ...valuesOf(row),
    isBuy: row.is_buy,
  }
}

function liquidityOf(row: LiquidityRow): LiquidityEvent {
  return {
    type: 'liquidity',
    liquidity: { type: 'liquidity', kind: row.kind, ...originOf(row) },
    ...valuesOf(row),
  }
}

function originOf(row: OriginRow) {
  return {
    index: row.idx,
    txHash: row.tx_hash,
    wallet: row.wallet,
    reserve0: bigintOf(row.reserve0) ?? 0n,
    reserve1: bigintOf(row.reserve1) ?? 0n,
    priceRaw: row.price_raw,
    pairId: row.pair_id,
    sender: row.sender,
    amount0: BigInt(row.amount0),
    amount1: BigInt(row.amount1),
  }
}

function valuesOf(row: OriginRow): {
  quote: PairValuation
  amountUsdE8: number
  amountNativeRaw: bigint
} {
  return {
    quote: {
      price0Usd: row.price0_usd,
      price1Usd: row.price1_usd,
      price0Native: row.price0_native,
      price1Native: row.price1_native,
      liquidityUsd: row.liquidity_usd,
      liquidityNative: row.liquidity_native,
    },
    amountUsdE8: Number(row.amount_usd_e8),
    amountNativeRaw: wholeOf(row.amount_native_raw),
  }
}

/** Early versions stored fractions of a raw unit. */
function wholeOf(text: string): bigint {
  const point = text.indexOf('.')
  return BigInt(point < 0 ? text : text.slice(0, point))
}

function bigintOf(text: string | null): bigint | null {
  return text === null ? null : BigInt(text)
}

export type KlineQuery = {
  chainId: number
  pairId: number
  /** Index into `klineIntervalsS`. */
  interval: number
  /** First start, inclusive. */
  fromS: number
  /** Latest start of a kline, inclusive. */
  toS: number
  limit: number
  /** Excludes klines closed by later blocks. */
  blockMax?: number
}

type KlineRow = {
  start_s: number
  usd_open: number
  usd_high: number
  usd_low: number
  usd_close: number
  native_open: number
  native_high: number
  native_low: number
  native_close: number
  volume_usd_e8: string
  volume_native_raw: string
  count: number
}

/** The newest closed klines of the range, oldest first. */
export async function loadKlines(pool: Pool, query: KlineQuery): Promise<Kline[]> {
  const { chainId, pairId, interval, fromS, toS, limit, blockMax = anyBlock } = query
  const table = klineTableOf(interval)
  const ofInterval = table === 'klines' ? 'AND interval = $7' : ''
  const { rows } = await pool.query<KlineRow>({
    name: `load-${table}`,
    text: `SELECT * FROM ${table}
           WHERE chain = $1 AND pair_id = $2 AND start_s >= $3 AND start_s <= $4
             AND block <= $6 ${ofInterval}
           ORDER BY start_s DESC LIMIT $5`,
    values: [
      ...[chainId, pairId, fromS, toS, limit, blockMax],
      ...(table === 'klines' ? [interval] : []),
    ],
  })
  return rows.reverse().map((row) => ({
    startS: row.start_s,
    usd: { open: row.usd_open, high: row.usd_high, low: row.usd_low, close: row.usd_close },
    native: {
      open: row.native_open,
      high: row.native_high,
      low: row.native_low,
      close: row.native_close,
    },
    volumeUsdE8: BigInt(row.volume_usd_e8),
    volumeNativeRaw: BigInt(row.volume_native_raw),
    count: row.count,
  }))
}

type StoredTrade = { blockNumber: number; event: SwapEvent | LiquidityEvent } & BlockTime

export type TradesQuery = {
  chainId: number
  table: 'swaps' | 'liquidity'
  /** Null for all pairs. */
  pairIds: readonly number[] | null
  /** @default all */
  filter?: TradeFilter
  /** Events after this place, exclusive; none of them is older than its time. */
  after: { number: number; index: number; timeS: number }
  /** Last block, inclusive. */
  toNumber: number
  limit: number
  order: 'asc' | 'desc'
}

/** Conditions on trades; each is optional. */
type TradeFilter = {
  wallet?: string
  /** Only in trusted pools. */
  isTrusted?: true
  usdE8Min?: number
  /** Only in pools of this protocol. */
  venue?: string
}

/** Swaps or liquidity changes of several pairs, or of all, in chain order. */
export async function loadTrades(pool: Pool, query: TradesQuery): Promise<StoredTrade[]> {
  const { chainId, table, pairIds, after, toNumber, limit, order, filter = {} } = query
  if (pairIds?.length === 0) return []
  const values: unknown[] = [chainId, after.timeS, after.number, after.index, toNumber, limit]
  const conditions = conditionsOf(pairIds, filter, values)
  const { rows } = await pool.query<SwapRow | LiquidityRow>({
    // One query plan for each form of the query.
    name: `load-trades-${table}-${order}-${conditions.map(({ name }) => name).join('-')}`,
    text: `SELECT s.* FROM ${table} s
           WHERE s.chain = $1 AND s.time_s >= $2 AND (s.block, s.idx) > ($3, $4) AND s.block <= $5
             ${conditions.map(({ sql }) => `AND ${sql}`).join(' ')}
           ORDER BY s.time_s ${order}, s.block ${order}, s.idx ${order} LIMIT $6`,
    values,
  })
  return rows.map((row) => ({
    ...placeOf(row),
    event: 'kind' in row ? liquidityOf(row) : swapOf(row),
  }))
}

/** Conditions by name; appends their values to the parameters. */
function conditionsOf(
  pairIds: readonly number[] | null,
  { wallet, isTrusted, usdE8Min, venue }: TradeFilter,
  values: unknown[],
): { name: string; sql: string }[] {
  const conditions: { name: string; sql: string }[] = []
  const add = (name: string, value: unknown, sqlOf: (parameter: string) => string) => {
    values.push(value)
    conditions.push({ name, sql: sqlOf(`$${values.length}`) })
  }
  const ofPair = (sql: string) =>
    `EXISTS (SELECT FROM pairs p WHERE p.chain = s.chain AND p.id = s.pair_id AND ${sql})`
  if (pairIds !== null) add('pairs', pairIds, (parameter) => `s.pair_id = ANY(${parameter}::int[])`)
  if (wallet !== undefined) add('wallet', wallet, isWalletSql)
  if (usdE8Min !== undefined) add('usd', usdE8Min, (parameter) => `s.amount_usd_e8 >= ${parameter}`)
  if (venue !== undefined) add('venue', venue, (parameter) => ofPair(`p.amm = ${parameter}`))
  if (isTrusted === true) conditions.push({ name: 'trusted', sql: ofPair('p.is_trusted') })
  return conditions
}

/** Condition that uses the index on wallets. */
export const isWalletSql = (parameter: string): string =>
  `hashtextextended(s.wallet, 0) = hashtextextended(${parameter}, 0) AND s.wallet = ${parameter}`
