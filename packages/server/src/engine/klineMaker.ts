import type { Kline, Ohlc } from '../model/kline.ts'
import type { KlineEvent } from '../model/marketEvent.ts'
import { bigintOf2, bigintOf3 } from './limbs.ts'
import { pairColumn as P } from './pairTable.ts'

/**
 * The newest kline of an interval; its close is the pair's last trade. `start` 0: there was none.
 * It is open while its entry is in the interval's queue, so that closing changes no row.
 */
export const klineColumn = {
  start: 0,
  openUsd: 1,
  highUsd: 2,
  lowUsd: 3,
  openNative: 4,
  highNative: 5,
  lowNative: 6,
  volumeUsd: 7,
  volumeNative: 9,
  count: 12,
  entry: 13,
} as const
export const klineColumns = 14

const column = klineColumn

/**
 * Makes klines from rows. Intervals of a pair beside each other often hold the same prices and
 * volumes, so the last ones made are used again: fewer objects, and most of an engine's garbage.
 */
export class KlineMaker {
  private usd: Ohlc = { open: 0, high: 0, low: 0, close: 0 }
  private native: Ohlc = { open: 0, high: 0, low: 0, close: 0 }
  private readonly usdLimbs = new Float64Array(2)
  private readonly nativeLimbs = new Float64Array(3)
  private volumeUsd = 0n
  private volumeNative = 0n

  event(
    pairId: number,
    interval: number,
    page: Float64Array,
    from: number,
    pair: Float64Array,
    at: number,
  ): KlineEvent {
    return { type: 'kline', pairId, interval, kline: this.kline(page, from, pair, at) }
  }

  kline(page: Float64Array, from: number, pair: Float64Array, at: number): Kline {
    this.usd = ohlcOf(this.usd, page, from + column.openUsd, pair[at + P.closeUsd]!)
    this.native = ohlcOf(this.native, page, from + column.openNative, pair[at + P.closeNative]!)
    this.setVolumes(page, from)
    return {
      startS: page[from]!,
      usd: this.usd,
      native: this.native,
      volumeUsdE8: this.volumeUsd,
      volumeNativeRaw: this.volumeNative,
      count: page[from + column.count]!,
    }
  }

  private setVolumes(page: Float64Array, from: number): void {
    const { usdLimbs, nativeLimbs } = this
    const usd = from + column.volumeUsd
    if (page[usd] !== usdLimbs[0] || page[usd + 1] !== usdLimbs[1]) {
      usdLimbs[0] = page[usd]!
      usdLimbs[1] = page[usd + 1]!
      this.volumeUsd = bigintOf2(page, usd)
    }
    const native = from + column.volumeNative
    if (
      page[native] !== nativeLimbs[0] ||
      page[native + 1] !== nativeLimbs[1] ||
      page[native + 2] !== nativeLimbs[2]
    ) {
      nativeLimbs[0] = page[native]!
      nativeLimbs[1] = page[native + 1]!
      nativeLimbs[2] = page[native + 2]!
      this.volumeNative = bigintOf3(page, native)
    }
  }
}

function ohlcOf(last: Ohlc, page: Float64Array, from: number, close: number): Ohlc {
  const open = page[from]!
  const high = page[from + 1]!
  const low = page[from + 2]!
  const isSame =
    last.open === open && last.high === high && last.low === low && last.close === close
  return isSame ? last : { open, high, low, close }
}
