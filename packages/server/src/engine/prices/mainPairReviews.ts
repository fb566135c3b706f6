import { columnNames } from '../tables/columnNames.ts'
import { RowLog } from '../tables/rowLog.ts'
import type { UndoLog } from '../tables/undoLog.ts'

/**
 * Unit of rate movements: a move by a factor counts as the factor minus 1, in this many parts. Sums
 * stay exact.
 */
export const movementUnit = 2 ** 24

/** After this much movement all watched tokens are due. */
export const movementMax = 2 * movementUnit

// One list for each slack, so that later items of a list are due later. Items with less slack than
// the second are due with the next movement; those with more than the last are sometimes checked in
// vain.
const slacks = [1, ...[1 / 256, 1 / 32, 1 / 4, 3 / 2].map((part) => part * movementUnit)]

const column = { dueAt: 0, token: 1 } as const
const columns = columnNames(column)

/**
 * Schedules checks of whether rates alone change which pair prices a token. Two values in different
 * quotes that differ by a factor cannot cross before rates have moved by that factor, so a token is
 * checked only then. Its row has its due time: of several entries the one with the same time is
 * valid.
 */
export class MainPairReviews {
  readonly lists: readonly RowLog[]

  constructor(undo: UndoLog) {
    this.lists = slacks.map((_, list) => new RowLog(undo, { name: `rateWatch.${list}`, columns }))
  }

  /** The list for two values, the smaller of which is `ratio` of the larger. */
  listOf(ratio: number): number {
    // At most the logarithm of the factor, while movement is at least that: a check may be early
    // but never late.
    const slack = ((2 * (1 - ratio)) / (1 + ratio)) * movementUnit
    let list = slacks.length - 1
    while (list > 0 && slacks[list]! > slack) list -= 1
    return list
  }

  /** Due time of an item that enters the list now; `moved` is the movement of all blocks so far. */
  dueAt(list: number, moved: number): number {
    return moved + slacks[list]!
  }

  add(list: number, dueAt: number, tokenRow: number): void {
    const log = this.lists[list]!
    const row = log.append()
    const page = log.page(row)
    const at = log.at(row)
    page[at + column.dueAt] = dueAt
    page[at + column.token] = tokenRow
  }

  /** Removes due items, at most `max`; the rest follow in the next block with pool events. */
  takeDue(moved: number, max: number, visit: (tokenRow: number, dueAt: number) => void): void {
    let left = max
    for (const log of this.lists)
      for (; left > 0 && log.head < log.tail; left -= 1) {
        const page = log.page(log.head)
        const at = log.at(log.head)
        const dueAt = page[at + column.dueAt]!
        if (dueAt > moved) break
        log.head += 1
        visit(page[at + column.token]!, dueAt)
      }
  }
}
