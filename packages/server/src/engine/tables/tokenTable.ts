import { columnNames } from './rowTable.ts'

/** Parts of a token's row that are saved separately. */
export const tokenPart = { activity: 0, facts: 1 } as const

/**
 * Columns of a token's row, whose number is the token's id plus 1. Pairs are stored as their row
 * number, 0 for none. Columns that every block reads come first.
 */
export const tokenColumn = {
  updatedAtS: 0,
  judgedHeight: 1,
  /**
   * Time of the newest trade on any trusted pair of the token, on either side; 0 if never traded.
   */
  lastTradeAtS: 2,
  /** Block number of that newest trade, plus 1. */
  tradedBlock: 3,
  mainPair: 4,
  launchPriceUsd: 5,
  /** Linked list of pairs whose target is the token, oldest first. */
  targetHead: 6,
  targetTail: 7,
  targetCount: 8,
  /** Linked list of pairs whose quote is the token, oldest first. */
  quoteHead: 9,
  quoteTail: 10,
  /**
   * Total movement of rates at which the token's main pair is judged again; 0 if rates alone cannot
   * change it.
   */
  watchedUntil: 11,
  /**
   * Pair that leads the main pair and may replace it, and the block height since which it leads.
   */
  challenger: 12,
  challengerHeight: 13,
  launchRow: 14,
  /** Creation time of the token's first pair; 0 if that pair was discovered later. */
  launchedAtS: 15,
  /** Row of the token's own price series; 0 if its prices are those of its main pair. */
  series: 16,
} as const

export const tokenColumns = columnNames(tokenColumn)
export const tokenPartWidths = [4, 13] as const
