import assert from 'node:assert'
import { supplyCodec, type TokenSupply } from '../../model/token.ts'
import type { ImagePart } from '../pages/imagePart.ts'
import type { MarketMemory } from '../pages/marketMemory.ts'
import { RevertibleValues } from '../tables/revertibleValues.ts'
import { PackedRecords } from './packedRecords.ts'
import { Revisions } from './revisions.ts'
import { SupplyAmounts } from './supplyAmounts.ts'

/**
 * Token supplies: stored as bytes, and kept as objects while a block that changed them can be
 * reverted.
 */
export class Supplies {
  /** Amounts that the last call of `amountsAt` refers to. */
  readonly amounts = new SupplyAmounts()
  readonly revisions = new Revisions()
  readonly packed: PackedRecords
  private readonly versions = new RevertibleValues<TokenSupply | null>({
    get: (id) => this.read(id),
    set: (id, supply) => this.write(id, supply),
  })

  constructor(memory: MarketMemory) {
    this.packed = new PackedRecords('supplies', memory)
  }

  /** Adds the next token, whose supply is unknown. */
  addUnknown(): void {
    this.packed.push()
  }

  /** Supply of a token; null if unknown. */
  get(tokenId: number): TokenSupply | null {
    return this.versions.get(tokenId)
  }

  /** Number of holders, without reading the rest of the supply; null if unknown. */
  holders(tokenId: number): number | null {
    const newest = this.versions.newestRevertible(tokenId)
    if (newest !== undefined) return newest?.holders ?? null
    const reader = this.packed.open(tokenId)
    if (reader === null) return null
    supplyCodec.seek(reader, 'holders')
    return reader.whole()
  }

  /** True if the supply of a token is known but its holders are not counted completely. */
  isIncomplete(tokenId: number): boolean {
    const newest = this.versions.newestRevertible(tokenId)
    if (newest !== undefined) return newest?.isComplete === false
    const reader = this.packed.open(tokenId)
    if (reader === null) return false
    supplyCodec.seek(reader, 'isComplete')
    return !reader.flag()
  }

  /** `number` is the block that reported the supply, or null if that block is final. */
  set(supply: TokenSupply, number: number | null): void {
    const { tokenId } = supply
    assert(tokenId < this.packed.count, 'the token is known')
    this.invalidate(tokenId)
    if (number === null) this.versions.setFinal(tokenId, supply)
    else this.versions.set(tokenId, number, supply)
  }

  revert(tokenId: number, number: number): void {
    this.invalidate(tokenId)
    this.versions.revert(tokenId, number)
  }

  finalize(tokenId: number, number: number): void {
    this.versions.finalize(tokenId, number)
  }

  truncate(count: number): void {
    for (let id = count; id < this.packed.count; id += 1) {
      this.versions.remove(id)
      this.invalidate(id)
    }
    this.packed.truncate(count)
  }

  /**
   * Returns where the amounts of a token start in `amounts.rows`, valid until the next call; -1 if
   * its supply is unknown.
   */
  amountsAt(tokenId: number): number {
    const at = this.amounts.find(tokenId)
    if (at >= 0) return at
    const supply = this.get(tokenId)
    return supply === null ? -1 : this.amounts.store(supply)
  }

  imageParts(): readonly ImagePart[] {
    return [this.packed]
  }

  private invalidate(tokenId: number): void {
    this.amounts.forget(tokenId)
    this.revisions.increment(tokenId)
  }

  private read(tokenId: number): TokenSupply | null {
    const reader = this.packed.open(tokenId)
    return reader === null ? null : supplyCodec.read(reader, tokenId)
  }

  private write(tokenId: number, supply: TokenSupply | null): void {
    if (supply === null) this.packed.clear(tokenId)
    else this.packed.write(tokenId, (writer) => supplyCodec.write(writer, supply))
  }
}
