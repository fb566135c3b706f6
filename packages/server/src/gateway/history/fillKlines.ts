import type { Kline } from '../../model/klines/kline.ts'
import { firstBucketS, type KlineBuckets } from '../../model/klines/klineBuckets.ts'
import { flatAt } from '../../model/klines/klineNow.ts'

type FillOptions = {
  buckets: KlineBuckets
  /** First and last second of the range. Buckets that start within it are returned. */
  fromS: number
  toS: number
  limit: number
  /** Time of the first trade; no bucket is filled before it. 0: never traded, so no klines. */
  firstTradeAtS: number
}

/**
 * Returns the newest `limit` buckets of the range without gaps. An empty bucket is flat at the
 * previous close. `klines` are the newest up to the range's end, oldest first, and include a kline
 * before the range if one exists.
 */
export function fillKlines(klines: readonly Kline[], options: FillOptions): Kline[] {
  const { buckets, limit, firstTradeAtS } = options
  const first = klines[0]
  if (first === undefined || firstTradeAtS === 0) return []
  const lastS = buckets.startS(options.toS)
  const bornS = buckets.startS(firstTradeAtS)
  const fromS = Math.max(
    firstBucketS(buckets, options.fromS),
    bornS,
    buckets.earlierS(lastS, limit - 1),
  )
  const filled: Kline[] = []
  let at = klines.findIndex(({ startS }) => startS >= fromS)
  if (at < 0) at = klines.length
  // Without an earlier kline (retention may have deleted it), the first kline's open is used: it
  // equals the previous close.
  let flat = at > 0 ? flatAfter(klines[at - 1]!) : flatBefore(first)
  for (let startS = fromS; startS <= lastS; startS = buckets.nextS(startS)) {
    const next = klines[at]
    if (next?.startS === startS) {
      filled.push(next)
      flat = flatAfter(next)
      at += 1
    } else filled.push({ ...flat, startS })
  }
  return filled
}

type Flat = Omit<Kline, 'startS'>

function flatAfter({ usd, native }: Kline): Flat {
  return emptyAt(usd.close, native.close)
}

function flatBefore({ usd, native }: Kline): Flat {
  return emptyAt(usd.open, native.open)
}

function emptyAt(usd: number, native: number): Flat {
  return {
    usd: flatAt(usd),
    native: flatAt(native),
    volumeUsdE8: 0n,
    volumeNativeRaw: 0n,
    count: 0,
  }
}
