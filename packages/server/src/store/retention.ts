/** Tables with daily partitions. */
export type DailyTable = 'log' | 'swaps' | 'liquidity' | 'klines_s1' | 'klines_k1'

/** Days kept, today not counted. */
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

/** First day of a table that is kept. */
export function firstDayKept(nowS: number, days: number): number {
  return dayOf(nowS) - days
}

/** The column that says which day a row belongs to. */
export function dayColumnOf(table: DailyTable): string {
  return table === 'klines_s1' || table === 'klines_k1' ? 'start_s' : 'time_s'
}

/** How far back that goes which is stored of a chain. */
export type StoredHistory = {
  /** Its first block; null: there is none, or nobody noted it. */
  firstNumber: number | null
  /** Swaps before this second are not kept; null: all are. */
  swapsFromS: number | null
}

/** The same of a row of `cursors`. A first block that was reverted is none. */
export const storedHistoryColumns =
  'CASE WHEN number >= first_number THEN first_number END AS "firstNumber", swaps_from_s AS "swapsFromS"'
