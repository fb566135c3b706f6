import assert from 'node:assert'

type Version<value> = { number: number; value: value }

/**
 * One value per dense id, with the values of the blocks that can still be reverted. A fact may
 * come after later blocks and still belong to its own, so values are kept by block number and the
 * highest counts; reverting a block removes exactly what it said.
 */
export class Versions<value> {
  readonly current: value[] = []
  /** First the value before all undoable blocks, then ascending by block. Only ids that have any. */
  private readonly held = new Map<number, Version<value>[]>()

  push(value: value): void {
    this.current.push(value)
  }

  truncate(count: number): void {
    for (let id = count; id < this.current.length; id += 1) this.held.delete(id)
    this.current.length = count
  }

  set(id: number, number: number, value: value): void {
    assert(id < this.current.length, 'the id is known')
    const versions = this.held.get(id) ?? [{ number: -1, value: this.current[id]! }]
    this.held.set(id, versions)
    let at = versions.length
    while (at > 1 && versions[at - 1]!.number > number) at -= 1
    if (at > 1 && versions[at - 1]!.number === number) versions[at - 1] = { number, value }
    else versions.splice(at, 0, { number, value })
    this.current[id] = versions.at(-1)!.value
  }

  /** A fact of a block that is final: below every version that can still go. */
  setBase(id: number, value: value): void {
    assert(id < this.current.length, 'the id is known')
    const versions = this.held.get(id)
    if (versions) versions[0]!.value = value
    else this.current[id] = value
  }

  revert(id: number, number: number): void {
    const versions = this.held.get(id)?.filter((version) => version.number !== number)
    if (!versions) return
    this.current[id] = versions.at(-1)!.value
    if (versions.length === 1) this.held.delete(id)
    else this.held.set(id, versions)
  }

  finalize(id: number, number: number): void {
    const versions = this.held.get(id)
    if (!versions) return
    while (versions.length > 1 && versions[1]!.number <= number) versions.shift()
    versions[0]!.number = -1
    if (versions.length === 1) this.held.delete(id)
  }
}
