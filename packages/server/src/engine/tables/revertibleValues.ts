import { gcNeutralBuffer } from '../../lib/gcNeutralBuffer.ts'
import { doubledGcNeutral } from '../../lib/growArray.ts'

type BlockValue<value> = { number: number; value: value }

/** Storage for values that no revert can change any more. */
type FinalValues<value> = {
  get(id: number): value
  set(id: number, value: value): void
}

/**
 * One value per id, with the values of all blocks that can still be reverted. A late fact may
 * arrive after later blocks and still belong to its own block. Values are therefore kept by block
 * number: the highest counts, and reverting a block removes exactly its value.
 */
export class RevertibleValues<value> {
  readonly #finalValues: FinalValues<value>
  /**
   * Values of ids with revertible values: first the final value as block -1, then revertible
   * values, ascending by block.
   */
  readonly #revertible = new Map<number, BlockValue<value>[]>()

  constructor(settled: FinalValues<value>) {
    this.#finalValues = settled
  }

  get(id: number): value {
    const versions = this.#revertible.size === 0 ? undefined : this.#revertible.get(id)
    return versions === undefined ? this.#finalValues.get(id) : versions.at(-1)!.value
  }

  /** Value of the newest revertible block that set one; undefined if the final value counts. */
  newestRevertible(id: number): value | undefined {
    return this.#revertible.get(id)?.at(-1)?.value
  }

  revertibleIds(): Iterable<number> {
    return this.#revertible.keys()
  }

  /** Removes the values of an id that is no longer in use. */
  remove(id: number): void {
    this.#revertible.delete(id)
  }

  set(id: number, number: number, value: value): void {
    const versions = this.#revertible.get(id) ?? [{ number: -1, value: this.#finalValues.get(id) }]
    this.#revertible.set(id, versions)
    let at = versions.length
    while (at > 1 && versions[at - 1]!.number > number) at -= 1
    if (at > 1 && versions[at - 1]!.number === number) versions[at - 1] = { number, value }
    else versions.splice(at, 0, { number, value })
  }

  /** Sets the value as of a final block, below the values of all revertible blocks. */
  setFinal(id: number, value: value): void {
    const versions = this.#revertible.get(id)
    if (versions) versions[0]!.value = value
    else this.#finalValues.set(id, value)
  }

  revert(id: number, number: number): void {
    const versions = this.#revertible.get(id)?.filter((version) => version.number !== number)
    if (versions) this.#store(id, versions)
  }

  finalize(id: number, number: number): void {
    const versions = this.#revertible.get(id)
    if (!versions) return
    while (versions.length > 1 && versions[1]!.number <= number) versions.shift()
    versions[0]!.number = -1
    this.#store(id, versions)
  }

  /** Stores the remaining values of an id; if only one is left, it becomes the final value. */
  #store(id: number, versions: BlockValue<value>[]): void {
    if (versions.length > 1) {
      this.#revertible.set(id, versions)
      return
    }
    this.#revertible.delete(id)
    this.#finalValues.set(id, versions[0]!.value)
  }
}

const bytesEach = Uint32Array.BYTES_PER_ELEMENT

/**
 * Number of changes to the data of each id. Never decreases, not even by a revert: a cache is
 * current while the sum of the revisions it depends on stays the same.
 */
export class Revisions {
  #counts = new Uint32Array(gcNeutralBuffer(bytesEach << 10))

  get(id: number): number {
    return this.#counts[id] ?? 0
  }

  /** Memory grows only up to the highest id that ever changed. */
  increment(id: number): void {
    while (id >= this.#counts.length) this.#counts = doubledGcNeutral(this.#counts)
    this.#counts[id]! += 1
  }
}
