import type { LogRow } from '../../../log/log.ts'
import type { BlockRef } from '../../../model/block.ts'
import { endedKlineColumn as K, readKlineVolume } from '../../../model/klines/endedKlines.ts'
import type { LiquidityEvent, PairValuation, SwapEvent } from '../../../model/marketEvent.ts'
import type { CopyBytes } from './copyBinary.ts'

const originColumns =
  'chain, block, idx, time_s, pair_id, tx_hash, wallet, sender, amount0, amount1, reserve0, reserve1, price_raw, price0_usd, price1_usd, price0_native, price1_native, liquidity_usd, liquidity_native, amount_usd_e8, amount_native_raw, time_ms'
const klineColumns =
  'start_s, block, usd_open, usd_high, usd_low, usd_close, native_open, native_high, native_low, native_close, volume_usd_e8, volume_native_raw, count'

/** Tables of history, with their columns in the order of the encoders. */
export const historyColumns = {
  swaps: `${originColumns}, recipient, is_buy, holding0, holding1, holding_native, account_flags`,
  liquidity: `${originColumns}, kind`,
  log: 'chain, seq, time_s, type, number, hash, parent_number, parent_hash, entry, undo, news',
  klines_s1: `chain, pair_id, ${klineColumns}`,
  klines_k1: `chain, pair_id, ${klineColumns}`,
  klines: `chain, pair_id, interval, ${klineColumns}`,
} as const

export type HistoryTable = keyof typeof historyColumns

const logFields = 11
const originFields = 22
const swapFields = originFields + 6
const liquidityFields = originFields + 1

export function addLogRow(
  rows: CopyBytes,
  chainId: number,
  seq: number,
  { type, ref, bytes, undo }: LogRow,
  news: readonly number[],
): void {
  rows.row(logFields)
  rows.smallint(chainId)
  rows.bigint(seq)
  rows.bigint(ref.timeS)
  rows.text(type)
  rows.bigint(ref.number)
  rows.text(ref.hash)
  rows.bigint(ref.parentNumber)
  rows.text(ref.parentHash)
  rows.bytea(bytes)
  rows.bytea(undo)
  rows.integers(news)
}

export function addSwapRow(
  rows: CopyBytes,
  chainId: number,
  block: BlockRef,
  event: SwapEvent,
): void {
  const { swap } = event
  rows.row(swapFields)
  addOrigin(rows, chainId, block, swap, event)
  rows.text(swap.to)
  rows.boolean(event.isBuy)
  rows.numeric(swap.holding0)
  rows.numeric(swap.holding1)
  rows.numeric(swap.native)
  rows.integer(swap.accountFlags)
}

export function addLiquidityRow(
  rows: CopyBytes,
  chainId: number,
  block: BlockRef,
  event: LiquidityEvent,
): void {
  rows.row(liquidityFields)
  addOrigin(rows, chainId, block, event.liquidity, event)
  rows.text(event.liquidity.kind)
}

function addOrigin(
  rows: CopyBytes,
  chainId: number,
  block: BlockRef,
  item: SwapEvent['swap'] | LiquidityEvent['liquidity'],
  { quote, amountUsdE8, amountNativeRaw }: SwapEvent | LiquidityEvent,
): void {
  rows.smallint(chainId)
  rows.bigint(block.number)
  rows.integer(item.index)
  rows.bigint(block.timeS)
  rows.integer(item.pairId)
  rows.text(item.txHash)
  rows.text(item.wallet)
  rows.text(item.sender)
  rows.numeric(item.amount0)
  rows.numeric(item.amount1)
  const areReservesKnown = quote.liquidityUsd !== null
  rows.numeric(areReservesKnown ? item.reserve0 : null)
  rows.numeric(areReservesKnown ? item.reserve1 : null)
  rows.double(item.priceRaw)
  addQuote(rows, quote)
  rows.numeric(amountUsdE8)
  rows.numeric(amountNativeRaw)
  rows.bigint(block.timeMs ?? null)
}

function addQuote(rows: CopyBytes, quote: PairValuation): void {
  rows.double(quote.price0Usd)
  rows.double(quote.price1Usd)
  rows.double(quote.price0Native)
  rows.double(quote.price1Native)
  rows.double(quote.liquidityUsd)
  rows.double(quote.liquidityNative)
}

/** The two shortest intervals have tables of their own. */
export function klineTableOf(interval: number): 'klines_s1' | 'klines_k1' | 'klines' {
  if (interval === 0) return 'klines_s1'
  return interval === 1 ? 'klines_k1' : 'klines'
}

// Fields without the interval, which two of the three tables lack.
const klineFields = 15

/** Adds the kline that begins at `at` in rows of ended klines. */
export function addKlineRow(
  rows: CopyBytes,
  chainId: number,
  block: BlockRef,
  klines: Float64Array,
  at: number,
): void {
  const interval = klines[at + K.interval]!
  const hasInterval = klineTableOf(interval) === 'klines'
  rows.row(hasInterval ? klineFields + 1 : klineFields)
  rows.smallint(chainId)
  rows.integer(klines[at + K.pairId]!)
  if (hasInterval) rows.smallint(interval)
  rows.bigint(klines[at + K.startS]!)
  rows.bigint(block.number)
  for (let price = at + K.usdOpen; price <= at + K.nativeClose; price += 1)
    rows.double(klines[price]!)
  rows.numeric(readKlineVolume(klines, at + K.volumeUsd, 2))
  rows.numeric(readKlineVolume(klines, at + K.volumeNative, 3))
  rows.bigint(klines[at + K.count]!)
}
