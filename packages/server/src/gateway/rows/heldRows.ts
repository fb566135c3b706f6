import type { RowMemory } from './rowMemory.ts'
import type { TokenRowBytes } from './tokenRows.ts'

/**
 * Rows of a list that is being put together. Those that were kept stand where other rows will be written: before the
 * market or another request gets its turn, the list takes them as its own.
 */
export class HeldRows {
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
    if (
      moving.newest - this.#movingFrom >= moving.lasting / 2 ||
      lasting.newest - this.#lastingFrom >= lasting.lasting / 2
    )
      this.hold()
  }

  hold(): void {
    for (; this.#heldCount < this.rows.length; this.#heldCount += 1) {
      const { lasting, moving } = this.rows[this.#heldCount]!
      this.rows[this.#heldCount] = { lasting: lasting.held(), moving: moving.held() }
    }
  }
}
