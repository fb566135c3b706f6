import type { RowMemory } from './cache/rowMemory.ts'
import type { TokenRowBytes } from './tokenRows.ts'

/**
 * Rows of a list that is being put together over several turns. Those that were cached are where other rows will be written
 * some time: the list takes them as its own only when that comes near, because copies of every list would be garbage of
 * many megabytes a second.
 */
export class ListRows {
  readonly rows: TokenRowBytes[] = []
  readonly #memory: RowMemory
  #heldCount = 0
  /** Where the writers were when the first row came that is not held. */
  #movingFrom = 0
  #lastingFrom = 0

  constructor(memory: RowMemory) {
    this.#memory = memory
  }

  add(row: TokenRowBytes): void {
    const { moving, lasting } = this.#memory
    if (this.#heldCount === this.rows.length) {
      this.#movingFrom = moving.newest
      this.#lastingFrom = lasting.newest
    }
    this.rows.push(row)
    // Half of what has to be written before the first of them is overwritten, which only much smaller memory comes to.
    if (this.#isOverwrittenAfter(1 / 2)) this.hold()
  }

  /** Others have their turn now, and write rows of their own. */
  pause(): void {
    if (this.#isOverwrittenAfter(1 / 4)) this.hold()
  }

  /** False: others have overwritten rows meanwhile, and the list has to be made again. */
  isValid(): boolean {
    for (let at = this.#heldCount; at < this.rows.length; at += 1) {
      const { lasting, moving } = this.rows[at]!
      if (!lasting.isValid() || !moving.isValid()) return false
    }
    return true
  }

  hold(): void {
    for (; this.#heldCount < this.rows.length; this.#heldCount += 1) {
      const { lasting, moving } = this.rows[this.#heldCount]!
      this.rows[this.#heldCount] = { lasting: lasting.held(), moving: moving.held() }
    }
  }

  /** Has this share been written of what has to be before a row is overwritten that is not held? */
  #isOverwrittenAfter(share: number): boolean {
    const { moving, lasting } = this.#memory
    return (
      moving.newest - this.#movingFrom >= moving.lasting * share ||
      lasting.newest - this.#lastingFrom >= lasting.lasting * share
    )
  }
}
