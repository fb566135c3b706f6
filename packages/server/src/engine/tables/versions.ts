type Version<value> = { number: number; value: value }

/** Storage for values that no revert can change any more. */
export type SettledValues<value> = {
  get(id: number): value
  set(id: number, value: value): void
}

/**
 * One value per id, with the values of all blocks that can still be reverted. A late fact may
 * arrive after later blocks and still belong to its own block. Values are therefore kept by block
 * number: the highest counts, and reverting a block removes exactly its value.
 */
export class Versions<value> {
  private readonly settled: SettledValues<value>
  /**
   * Values of ids with revertible values: first the final value as block -1, then revertible
   * values, ascending by block.
   */
  private readonly held = new Map<number, Version<value>[]>()

  constructor(settled: SettledValues<value>) {
    this.settled = settled
  }

  get(id: number): value {
    const versions = this.held.size === 0 ? undefined : this.held.get(id)
    return versions === undefined ? this.settled.get(id) : versions.at(-1)!.value
  }

  /** Value of the newest revertible block that set one; undefined if the final value counts. */
  newest(id: number): value | undefined {
    return this.held.get(id)?.at(-1)?.value
  }

  heldIds(): Iterable<number> {
    return this.held.keys()
  }

  /** Removes the values of an id that is no longer in use. */
  forget(id: number): void {
    this.held.delete(id)
  }

  set(id: number, number: number, value: value): void {
    const versions = this.held.get(id) ?? [{ number: -1, value: this.settled.get(id) }]
    this.held.set(id, versions)
    let at = versions.length
    while (at > 1 && versions[at - 1]!.number > number) at -= 1
    if (at > 1 && versions[at - 1]!.number === number) versions[at - 1] = { number, value }
    else versions.splice(at, 0, { number, value })
  }

  /** Sets the value as of a final block, below the values of all revertible blocks. */
  setBase(id: number, value: value): void {
    const versions = this.held.get(id)
    if (versions) versions[0]!.value = value
    else this.settled.set(id, value)
  }

  revert(id: number, number: number): void {
    const versions = this.held.get(id)?.filter((version) => version.number !== number)
    if (versions) this.hold(id, versions)
  }

  finalize(id: number, number: number): void {
    const versions = this.held.get(id)
    if (!versions) return
    while (versions.length > 1 && versions[1]!.number <= number) versions.shift()
    versions[0]!.number = -1
    this.hold(id, versions)
  }

  /** Stores the remaining values of an id; if only one is left, it becomes the final value. */
  private hold(id: number, versions: Version<value>[]): void {
    if (versions.length > 1) {
      this.held.set(id, versions)
      return
    }
    this.held.delete(id)
    this.settled.set(id, versions[0]!.value)
  }
}
