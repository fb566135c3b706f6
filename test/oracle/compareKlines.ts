import type { Kline, Ohlc } from '../../packages/server/src/model/klines/kline.ts'
import { createDifferences, type Differences, klineErrorMax } from './differences.ts'
import { bucketStartS, type ExactKline, type ExactOhlc, intervalsS, klinesOf } from './klines.ts'
import type { Trade } from './market.ts'

/** All klines of a pair or token, oldest first. `interval` is the position in `intervalsS`. */
export type ReadKlines = (address: string, interval: number) => readonly Kline[]

/** `endedByS`: compares only klines that have ended by then. @default all, including open ones */
export function compareKlines(
  subject: string,
  trades: readonly Trade[],
  read: (interval: number) => readonly Kline[],
  endedByS?: number,
): string[] {
  return intervalsS.flatMap((intervalS, interval) => {
    const openS = endedByS === undefined ? Infinity : bucketStartS(endedByS, intervalS)
    const expected = klinesOf(trades, intervalS).filter(({ startS }) => startS < openS)
    return compareInterval(`${subject} ${intervalS} s`, expected, read(interval))
  })
}

function compareInterval(
  subject: string,
  expected: readonly ExactKline[],
  actual: readonly Kline[],
): string[] {
  const differences = createDifferences(`${subject} klines`)
  const expectedStarts = expected.map(({ startS }) => startS)
  const actualStarts = actual.map(({ startS }) => startS)
  const missing = expectedStarts.filter((startS) => !actualStarts.includes(startS))
  const extra = actualStarts.filter((startS) => !expectedStarts.includes(startS))
  differences.same('that are missing', '', missing.join(' '))
  differences.same('that should not be', '', extra.join(' '))
  differences.same('count', expected.length, actual.length)
  for (const kline of expected) {
    const other = actual.find(({ startS }) => startS === kline.startS)
    if (other) compareKline(differences, kline, other)
  }
  return differences.sentences
}

function compareKline(differences: Differences, expected: ExactKline, actual: Kline): void {
  const at = `at ${expected.startS}`
  compareOhlc(differences, `${at} usd`, expected.usd, actual.usd)
  compareOhlc(differences, `${at} native`, expected.native, actual.native)
  differences.inside(`${at} volumeUsdE8`, expected.volumeUsdE8, actual.volumeUsdE8)
  differences.inside(`${at} volumeNativeRaw`, expected.volumeNativeRaw, actual.volumeNativeRaw)
  differences.same(`${at} count`, expected.count, actual.count)
}

function compareOhlc(
  differences: Differences,
  at: string,
  expected: ExactOhlc,
  actual: Ohlc,
): void {
  for (const field of ['open', 'high', 'low', 'close'] as const)
    differences.near(
      `${at}.${field}`,
      expected?.[field] ?? null,
      actual[field] === 0 ? null : actual[field],
      klineErrorMax,
    )
}
