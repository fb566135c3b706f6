/** Tables with daily partitions. */
export type DailyTable = 'log' | 'swaps' | 'liquidity' | 'klines_s1' | 'klines_k1'

/** Days kept, without today. */
export type Retention = Readonly<Record<DailyTable, number>>

export const defaultRetention: Retention = {
  log: 2,
  swaps: 30,
  liquidity: 30,
  klines_s1: 1,
  klines_k1: 90,
}

export const dayS = 86_400

export function dayOf(timeS: number): number {
  return Math.floor(timeS / dayS)
}

/** First kept day of a table. */
export function firstDayKept(nowS: number, days: number): number {
  return dayOf(nowS) - days
}

/** The column with a row's day. */
export function dayColumnOf(table: DailyTable): string {
  return table === 'klines_s1' || table === 'klines_k1' ? 'start_s' : 'time_s'
}

/** Start of a chain's stored history. */
export type StoredHistory = {
  /** Its first block; null if none exists or it is unknown. */
  firstNumber: number | null
  /** Earlier swaps are no longer kept; null if all are. */
  swapsFromS: number | null
}

/** The same from a row of `cursors`. A reverted first block does not count. */
export const storedHistoryColumns =
  'CASE WHEN number >= first_number THEN first_number END AS "firstNumber", swaps_from_s AS "swapsFromS"'
