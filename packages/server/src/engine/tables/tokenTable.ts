import { columnNames } from './columnNames.ts'

/** Parts of a token's row that are saved apart. */
export const tokenPart = { activity: 0, facts: 1 } as const

/**
 * Columns of a token's row; the row is its id + 1. Pairs are held as their row, 0 for none. What every
 * block reads comes first.
 */
export const tokenColumn = {
  updatedAtS: 0,
  judgedHeight: 1,
  /** Newest trade on any pair the token is a side of, 0 when there was none. */
  lastTradeAtS: 2,
  /** Number of the block of that trade, plus 1. */
  tradedBlock: 3,
  mainPair: 4,
  launchPriceUsd: 5,
  /** Pairs in which the token is the target, oldest first. */
  targetHead: 6,
  targetTail: 7,
  targetCount: 8,
  /** Pairs in which the token is the quote, oldest first. */
  quoteHead: 9,
  quoteTail: 10,
  /** Movement of rates at which it is judged again, 0: rates alone change nothing. */
  watchedUntil: 11,
  /** A pair that is ahead of the main pair, and since which block. */
  challenger: 12,
  challengerHeight: 13,
  launchRow: 14,
  /** When its first pair was made, 0 where that pair was discovered late. */
  launchedAtS: 15,
  /** Its own series of prices, 0: it is that of its main pair. */
  series: 16,
} as const

export const tokenColumns = columnNames(tokenColumn)
export const tokenPartWidths = [4, 13] as const
