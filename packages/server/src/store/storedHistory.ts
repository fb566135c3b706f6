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
