import type { Kline } from './kline.ts'

/**
 * Used in place of a pair's id for klines of a token whose main pair changed. Pair ids are never
 * negative.
 */
export function tokenSeriesId(tokenId: number): number {
  return -1 - tokenId
}

export function tokenOfSeriesId(id: number): number {
  return -1 - id
}

/**
 * Columns of an ended kline. Volumes are integers in limbs of 48 bits, low one first: two of 1e-8
 * USD, three of raw native units.
 */
export const endedKlineColumn = {
  /** A pair's id, or that of a token's own series. */
  pairId: 0,
  /** Index into `klineIntervalsS`. */
  interval: 1,
  startS: 2,
  usdOpen: 3,
  usdHigh: 4,
  usdLow: 5,
  usdClose: 6,
  nativeOpen: 7,
  nativeHigh: 8,
  nativeLow: 9,
  nativeClose: 10,
  volumeUsd: 11,
  volumeNative: 13,
  count: 16,
} as const
export const klineRowWidth = 17

const column = endedKlineColumn
const limbBits = 48n

/** Ended klines as rows of doubles: up to ten per trade, too many for objects. */
export type EndedKlineRows = {
  count: number
  /** Row after row. */
  rows: Float64Array
}

export type EndedKline = { pairId: number; interval: number; kline: Kline }

export function* readEndedKlines({ count, rows }: EndedKlineRows): Generator<EndedKline> {
  for (let index = 0; index < count; index += 1) {
    const at = index * klineRowWidth
    yield {
      pairId: rows[at]!,
      interval: rows[at + column.interval]!,
      kline: readKlineRow(rows, at),
    }
  }
}

/** The rows of one pair at one interval, in order. */
export function endedKlinesOf(
  { count, rows }: EndedKlineRows,
  pairId: number,
  interval: number,
): Kline[] {
  const klines: Kline[] = []
  for (let at = 0; at < count * klineRowWidth; at += klineRowWidth)
    if (rows[at] === pairId && rows[at + column.interval] === interval)
      klines.push(readKlineRow(rows, at))
  return klines
}

/** The kline in the row that begins at `at`. */
export function readKlineRow(rows: Float64Array, at: number): Kline {
  return {
    startS: rows[at + column.startS]!,
    usd: ohlcOf(rows, at + column.usdOpen),
    native: ohlcOf(rows, at + column.nativeOpen),
    volumeUsdE8: joinLimbs(rows, at + column.volumeUsd, 2),
    volumeNativeRaw: joinLimbs(rows, at + column.volumeNative, 3),
    count: rows[at + column.count]!,
  }
}

/** A volume; most fit into one limb and need no bigint. */
export function readKlineVolume(rows: Float64Array, at: number, limbs: 2 | 3): number | bigint {
  const isShort = rows[at + 1] === 0 && (limbs === 2 || rows[at + 2] === 0)
  return isShort ? rows[at]! : joinLimbs(rows, at, limbs)
}

/** Encodes klines that end now from objects. */
export function encodeEndedKlines(klines: readonly EndedKline[]): EndedKlineRows {
  const rows = new Float64Array(klines.length * klineRowWidth)
  klines.forEach(({ pairId, interval, kline }, index) => {
    const at = index * klineRowWidth
    rows[at] = pairId
    rows[at + column.interval] = interval
    rows[at + column.startS] = kline.startS
    const { usd, native } = kline
    rows.set([usd.open, usd.high, usd.low, usd.close], at + column.usdOpen)
    rows.set([native.open, native.high, native.low, native.close], at + column.nativeOpen)
    splitLimbs(rows, at + column.volumeUsd, 2, kline.volumeUsdE8)
    splitLimbs(rows, at + column.volumeNative, 3, kline.volumeNativeRaw)
    rows[at + column.count] = kline.count
  })
  return { count: klines.length, rows }
}

function ohlcOf(rows: Float64Array, at: number) {
  return { open: rows[at]!, high: rows[at + 1]!, low: rows[at + 2]!, close: rows[at + 3]! }
}

function joinLimbs(rows: Float64Array, at: number, limbs: number): bigint {
  let value = 0n
  for (let limb = limbs - 1; limb >= 0; limb -= 1)
    value = (value << limbBits) + BigInt(rows[at + limb]!)
  return value
}

function splitLimbs(rows: Float64Array, at: number, limbs: number, value: bigint): void {
  for (let limb = 0; limb < limbs; limb += 1) {
    const rest = value >> (limbBits * BigInt(limb))
    rows[at + limb] = Number(limb === limbs - 1 ? rest : BigInt.asUintN(Number(limbBits), rest))
  }
}
