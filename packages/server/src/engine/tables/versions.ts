type Version<value> = { number: number; value: value }

/** Where values are that no revert can change any more. */
export type SettledValues<value> = {
  get(id: number): value
  set(id: number, value: value): void
}

/**
 * One value per id, with the values of the blocks that can still be reverted. A fact may
 * come after later blocks and still belong to its own, so values are kept by block number and the
 * highest counts; reverting a block removes exactly what it said.
 */
export class Versions<value> {
  private readonly settled: SettledValues<value>
  /** First the value before all undoable blocks, then ascending by block. Only ids that have any. */
  private readonly held = new Map<number, Version<value>[]>()

  constructor(settled: SettledValues<value>) {
    this.settled = settled
  }

  get(id: number): value {
    const versions = this.held.size === 0 ? undefined : this.held.get(id)
    return versions === undefined ? this.settled.get(id) : versions.at(-1)!.value
  }

  /** Of the newest block that said something and can be reverted; undefined: what is settled counts. */
  newest(id: number): value | undefined {
    return this.held.get(id)?.at(-1)?.value
  }

  heldIds(): Iterable<number> {
    return this.held.keys()
  }

  /** The id is given back, and with it what was said of it. */
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

  /** A fact of a block that is final: below every version that can still go. */
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

  /** The last one left settles. */
  private hold(id: number, versions: Version<value>[]): void {
    if (versions.length > 1) {
      this.held.set(id, versions)
      return
    }
    this.held.delete(id)
    this.settled.set(id, versions[0]!.value)
  }
}
