import type { BlockRef } from '../../model/block.ts'
import { endedKlineColumn as K, volumeText } from '../../model/endedKlines.ts'
import type { LiquidityEvent, Quote, SwapEvent } from '../../model/marketEvent.ts'
import type { LogRow } from '../blockWrite.ts'
import { copyBigint, copyBytes, copyFloat, copyText } from './copyText.ts'

const originColumns =
  'chain, block, idx, time_s, pair_id, tx_hash, wallet, sender, amount0, amount1, reserve0, reserve1, price_raw, price0_usd, price1_usd, price0_native, price1_native, liquidity_usd, liquidity_native, amount_usd_e8, amount_native_raw'
const klineColumns =
  'start_s, block, usd_open, usd_high, usd_low, usd_close, native_open, native_high, native_low, native_close, volume_usd_e8, volume_native_raw, count'

/** Tables written by COPY, with the columns in the order the encoders write them. */
export const copyTargets = {
  log: 'log (chain, seq, time_s, type, number, hash, parent_hash, entry, undo)',
  swaps: `swaps (${originColumns}, recipient, is_buy, holding0, holding1, holding_native, account_flags)`,
  liquidity: `liquidity (${originColumns}, kind)`,
  klines_s1: `klines_s1 (chain, pair_id, ${klineColumns})`,
  klines_k1: `klines_k1 (chain, pair_id, ${klineColumns})`,
  klines: `klines (chain, pair_id, interval, ${klineColumns})`,
} as const

export type CopyTable = keyof typeof copyTargets

export function logLine(chainId: number, seq: number, { type, ref, bytes, undo }: LogRow): string {
  return `${chainId}\t${seq}\t${ref.timeS}\t${type}\t${ref.number}\t${copyText(ref.hash)}\t${copyText(ref.parentHash)}\t${copyBytes(bytes)}\t${copyBytes(undo)}\n`
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

/** `rows` are of ended klines; the line is of the one at `at`. */
export function klineLine(
  chainId: number,
  block: BlockRef,
  rows: Float64Array,
  at: number,
): string {
  const interval = rows[at + K.interval]!
  let line = `${chainId}\t${rows[at]}`
  if (interval > 1) line += `\t${interval}`
  line += `\t${rows[at + K.startS]}\t${block.number}`
  for (let price = at + K.usdOpen; price <= at + K.nativeClose; price += 1)
    line += `\t${copyFloat(rows[price]!)}`
  const volumeUsd = volumeText(rows, at + K.volumeUsd, 2)
  const volumeNative = volumeText(rows, at + K.volumeNative, 3)
  return `${line}\t${volumeUsd}\t${volumeNative}\t${rows[at + K.count]}\n`
}
