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
  mainPair: 3,
  launchPriceUsd: 4,
  /** Pairs in which the token is the target, oldest first. */
  targetHead: 5,
  targetTail: 6,
  targetCount: 7,
  /** Pairs in which the token is the quote, oldest first. */
  quoteHead: 8,
  quoteTail: 9,
  quoteCount: 10,
  /** A pair that is ahead of the main pair, and since which block. */
  challenger: 11,
  challengerHeight: 12,
  launchRow: 13,
  launchedAtS: 14,
} as const

export const tokenPartWidths = [3, 12] as const
