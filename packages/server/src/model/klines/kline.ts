/**
 * Lengths of stored klines in seconds, shortest first. The position is the interval's index
 * everywhere inside.
 */
export const klineIntervalsS = [
  1, 60, 300, 900, 1_800, 3_600, 7_200, 14_400, 86_400, 604_800,
] as const

/** Names of the same intervals on the wire. */
export const klineIntervalNames = [
  's1',
  'k1',
  'k5',
  'k15',
  'k30',
  'k60',
  'k120',
  'k240',
  'k1440',
  'k10080',
] as const

export type KlineIntervalName = (typeof klineIntervalNames)[number]

/**
 * Prices of the target token in one unit (USD or native). `open` is the close of the kline before
 * it.
 */
export type Ohlc = { open: number; high: number; low: number; close: number }

/** One pair over one bucket of block time. */
export type Kline = {
  startS: number
  usd: Ohlc
  native: Ohlc
  /** 1e-8 USD. */
  volumeUsdE8: bigint
  /** Raw units of the native coin. */
  volumeNativeRaw: bigint
  count: number
}

// Weeks start on Monday 00:00 UTC; 1970-01-01 was a Thursday.
const mondayOffsetS = 4 * 86_400
const weekS = 604_800

export function klineStartS(timeS: number, intervalS: number): number {
  // Division instead of %, which is a function call for doubles; exact for whole seconds.
  if (intervalS !== weekS) return Math.floor(timeS / intervalS) * intervalS
  return Math.floor((timeS - mondayOffsetS) / weekS) * weekS + mondayOffsetS
}
