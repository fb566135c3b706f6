import type { BlockRef } from '../../model/block.ts'
import { endedKlineColumn as K, volumeText } from '../../model/endedKlines.ts'
import type { LiquidityEvent, Quote, SwapEvent } from '../../model/marketEvent.ts'
import type { LogRow } from '../blockWrite.ts'
import type { CopyBytes } from './copyBinary.ts'
import { copyBigint, copyFloat, copyText } from './copyText.ts'

const originColumns =
  'chain, block, idx, time_s, pair_id, tx_hash, wallet, sender, amount0, amount1, reserve0, reserve1, price_raw, price0_usd, price1_usd, price0_native, price1_native, liquidity_usd, liquidity_native, amount_usd_e8, amount_native_raw'
const klineColumns =
  'start_s, block, usd_open, usd_high, usd_low, usd_close, native_open, native_high, native_low, native_close, volume_usd_e8, volume_native_raw, count'

/** Tables written by COPY of text, and their columns in the order the encoders write them. */
export const textColumns = {
  swaps: `${originColumns}, recipient, is_buy, holding0, holding1, holding_native, account_flags`,
  liquidity: `${originColumns}, kind`,
} as const

/** Tables of numbers and bytes, written by binary COPY. */
export const binaryColumns = {
  log: 'chain, seq, time_s, type, number, hash, parent_hash, entry, undo, news',
  klines_s1: `chain, pair_id, ${klineColumns}`,
  klines_k1: `chain, pair_id, ${klineColumns}`,
  klines: `chain, pair_id, interval, ${klineColumns}`,
} as const

export type TextTable = keyof typeof textColumns
export type BinaryTable = keyof typeof binaryColumns

const logFields = 10

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
  rows.text(ref.parentHash)
  rows.bytea(bytes)
  rows.bytea(undo)
  rows.integers(news)
}

export function swapLine(chainId: number, block: BlockRef, event: SwapEvent): string {
  const { swap } = event
  const origin = originFields(chainId, block, swap, event)
  const holdings = `${copyBigint(swap.holding0)}\t${copyBigint(swap.holding1)}\t${copyBigint(swap.native)}`
  return `${origin}\t${copyText(swap.to)}\t${event.isBuy ? 't' : 'f'}\t${holdings}\t${swap.accountFlags}\n`
}

export function liquidityLine(chainId: number, block: BlockRef, event: LiquidityEvent): string {
  return `${originFields(chainId, block, event.liquidity, event)}\t${event.liquidity.kind}\n`
}

function originFields(
  chainId: number,
  block: BlockRef,
  item: SwapEvent['swap'] | LiquidityEvent['liquidity'],
  { quote, amountUsdE8, amountNativeRaw }: SwapEvent | LiquidityEvent,
): string {
  const place = `${chainId}\t${block.number}\t${item.index}\t${block.timeS}\t${item.pairId}`
  const who = `${copyText(item.txHash)}\t${copyText(item.wallet)}\t${copyText(item.sender)}`
  const amounts = `${item.amount0}\t${item.amount1}\t${item.reserve0}\t${item.reserve1}`
  return `${place}\t${who}\t${amounts}\t${copyFloat(item.priceRaw)}\t${quoteFields(quote)}\t${amountUsdE8}\t${amountNativeRaw}`
}

function quoteFields(quote: Quote): string {
  const prices = `${copyFloat(quote.price0Usd)}\t${copyFloat(quote.price1Usd)}\t${copyFloat(quote.price0Native)}\t${copyFloat(quote.price1Native)}`
  return `${prices}\t${copyFloat(quote.liquidityUsd)}\t${copyFloat(quote.liquidityNative)}`
}

/** The two shortest intervals have tables of their own. */
export function klineTableOf(interval: number): 'klines_s1' | 'klines_k1' | 'klines' {
  if (interval === 0) return 'klines_s1'
  return interval === 1 ? 'klines_k1' : 'klines'
}

// Without the interval, which two of the three tables do not have.
const klineFields = 15

/** `klines` are rows of ended klines; the one at `at` is written. */
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
  addVolume(rows, klines, at + K.volumeUsd, 2)
  addVolume(rows, klines, at + K.volumeNative, 3)
  rows.bigint(klines[at + K.count]!)
}

/** Most volumes fit into their lowest limb. */
function addVolume(rows: CopyBytes, klines: Float64Array, at: number, limbs: 2 | 3): void {
  const isShort = klines[at + 1] === 0 && (limbs === 2 || klines[at + 2] === 0)
  if (isShort) rows.safeNumeric(klines[at]!)
  else rows.numeric(volumeText(klines, at, limbs))
}
