import type { MarketReads } from '../../../engine/marketReads.ts'

/** Columns of what windows were made of, behind those of the row they are in. */
const column = {
  validUntilS: 0,
  /** When they were made, for a clock that goes back. */
  madeAtS: 1,
  reverts: 2,
  lastTradeBlock: 3,
  /** Whose prices the windows have. */
  mainPair: 4,
} as const
export const sourceColumns = 5

/** Whose windows. */
export type SourceOf = 'token' | 'pair'

export function validUntilSOf(page: Float64Array, at: number): number {
  return page[at + column.validUntilS]!
}

/** Has no time passed that changes them? Where nothing was made yet it has. */
export function isTimeSame(page: Float64Array, at: number, nowS: number): boolean {
  return nowS >= page[at + column.madeAtS]! && nowS < page[at + column.validUntilS]!
}

/** Are windows that were made before still good? If not, writes down what those that are made now are of. */
export function isSourceSame(
  page: Float64Array,
  at: number,
  reads: MarketReads,
  isOf: SourceOf,
  id: number,
  nowS: number,
): boolean {
  const isToken = isOf === 'token'
  const { lastTradeBlock } = isToken ? reads.tokenActivity(id) : reads.pairActivity(id)
  // No other pair can take the place of a pair.
  const mainPair = isToken ? (reads.mainPairOf(id) ?? -1) : -1
  const reverts = reads.revertCount()
  if (
    page[at + column.lastTradeBlock] === lastTradeBlock &&
    page[at + column.mainPair] === mainPair &&
    page[at + column.reverts] === reverts &&
    isTimeSame(page, at, nowS)
  )
    return true
  page[at + column.validUntilS] = 0
  page[at + column.madeAtS] = nowS
  page[at + column.lastTradeBlock] = lastTradeBlock
  page[at + column.mainPair] = mainPair
  page[at + column.reverts] = reverts
  return false
}

/** When they are made. */
export function setSourceMade(page: Float64Array, at: number, validUntilS: number): void {
  page[at + column.validUntilS] = validUntilS
}
