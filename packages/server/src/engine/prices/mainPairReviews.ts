import { columnNames } from '../tables/columnNames.ts'
import { RowLog } from '../tables/rowLog.ts'
import type { UndoLog } from '../tables/undoLog.ts'

/** Rates that move against each other by a factor move by that less 1, in so many parts. Sums of them stay exact. */
export const movementUnit = 2 ** 24

/** After so much movement all that is watched is due. */
export const movementMax = 2 * movementUnit

// One list for each, so that what comes later in a list is due later. What has less slack than the second is due with the
// next movement; what has more than the last is looked at in vain now and then.
const slacks = [1, ...[1 / 256, 1 / 32, 1 / 4, 3 / 2].map((part) => part * movementUnit)]

const column = { dueAt: 0, token: 1 } as const
const columns = columnNames(column)

/**
 * When rates alone may change which pair prices a token. Two values in different quotes that are a factor apart meet no
 * sooner than rates have moved by that factor, so a token is looked at again only then. Its row has when it is due: of
 * several entries the one that says the same stands, and the others are void.
 */
export class MainPairReviews {
  readonly lists: readonly RowLog[]

  constructor(undo: UndoLog) {
    this.lists = slacks.map((_, list) => new RowLog(undo, { name: `rateWatch.${list}`, columns }))
  }

  /** The list for two values of which the smaller is `ratio` of the larger. */
  listOf(ratio: number): number {
    // Never more than the logarithm of the factor, as movement is never less than that: too early, but not too late.
    const slack = ((2 * (1 - ratio)) / (1 + ratio)) * movementUnit
    let list = slacks.length - 1
    while (list > 0 && slacks[list]! > slack) list -= 1
    return list
  }

  /** When what enters the list now is due; `moved` is the movement of all blocks so far. */
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

  /** Takes out what is due, at most `max`; the rest follows in the next block with pool events. */
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
