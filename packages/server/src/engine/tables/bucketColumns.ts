import { columnNames } from './columnNames.ts'

/**
 * Columns of one bucket of one pair. `buy` to `amount` have the layout of a pair's running sums.
 */
export const bucketColumn = {
  index: 0,
  pair: 1,
  /** Row of the pair's previous bucket, which may have expired. */
  previous: 2,
  buy: 3,
  sell: 5,
  organic: 7,
  buyCount: 9,
  sellCount: 10,
  amount: 11,
  /** USD price at the start of the bucket; 0 if unknown. */
  open: 14,
  high: 15,
  low: 16,
} as const

const limbsOf = { buy: 2, sell: 2, organic: 2, amount: 3 }
export const bucketColumnNames = columnNames(bucketColumn, limbsOf)

/** Names of the sums, from `buy` to `amount`. */
export const sumNames = bucketColumnNames.slice(bucketColumn.buy, bucketColumn.open)
export const sumColumns = sumNames.length
