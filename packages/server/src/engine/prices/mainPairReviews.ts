import { RowLog } from '../tables/rowLog.ts'
import { columnNames } from '../tables/rowTable.ts'
import type { UndoLog } from '../tables/undoLog.ts'

/**
 * Unit of rate movements: if a rate changes by a factor, the factor minus 1 counts in this many
 * parts. Sums of whole parts are exact.
 */
export const movementUnit = 2 ** 24

/** Movement after which all watched tokens are due. */
export const movementMax = 2 * movementUnit

// One list per slack (movement until the check), so that each list is ordered by due time. Tokens
// with less slack than the second are due with the next movement; those with more than the last are
// sometimes checked too early.
const listSlacks = [1, ...[1 / 256, 1 / 32, 1 / 4, 3 / 2].map((part) => part * movementUnit)]

const column = { dueAt: 0, token: 1 } as const
const columns = columnNames(column)

/**
 * Schedules checks of whether rates by themselves change which pair prices a token. Two values in
 * different quotes that differ by a factor cannot cross before rates have moved by that factor, so
 * a token is checked only then. A token may be in several lists; the entry whose due time equals
 * that in the token's row is valid.
 */
export class MainPairReviews {
  readonly lists: readonly RowLog[]

  constructor(undo: UndoLog) {
    this.lists = listSlacks.map(
      (_, list) => new RowLog(undo, { name: `rateWatch.${list}`, columns }),
    )
  }

  /** List for a token with two values, the smaller of which is `ratio` times the larger. */
  listOf(ratio: number): number {
    // The slack is at most the logarithm of the factor, and movement is at least that: a check may
    // be early but never late.
    const slack = ((2 * (1 - ratio)) / (1 + ratio)) * movementUnit
    let list = listSlacks.length - 1
    while (list > 0 && listSlacks[list]! > slack) list -= 1
    return list
  }

  /**
   * Due time of a token that enters the list now; `moved` is the total movement of rates so far.
   */
  dueAt(list: number, moved: number): number {
    return moved + listSlacks[list]!
  }

  add(list: number, dueAt: number, tokenRow: number): void {
    const log = this.lists[list]!
    const row = log.append()
    const page = log.page(row)
    const at = log.at(row)
    page[at + column.dueAt] = dueAt
    page[at + column.token] = tokenRow
  }

  /**
   * Removes due tokens from the lists, at most `max`; the rest follow in the next block with pool
   * events.
   */
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
