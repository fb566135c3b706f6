import assert from 'node:assert'
import type { TokenSupply } from '../../model/token.ts'
import type { Imaged } from '../pages/imaged.ts'
import type { PageBudget } from '../pages/pageBudget.ts'
import { Versions } from '../tables/versions.ts'
import { PackedRecords } from './packedRecords.ts'
import { RecordReader } from './recordReader.ts'
import type { RecordSource } from './recordSource.ts'
import { RecordWriter } from './recordWriter.ts'
import { Revisions } from './revisions.ts'
import { SupplyAmounts } from './supplyAmounts.ts'

/** Supplies of tokens: as bytes, and as objects while a block that changed them can be reverted. */
export class Supplies {
  /** What the last call of `amountsAt` points into. */
  readonly amounts = new SupplyAmounts()
  readonly revisions = new Revisions()
  private readonly packed: PackedRecords
  private readonly reader = new RecordReader()
  private readonly writer = new RecordWriter()
  private readonly versions = new Versions<TokenSupply | null>({
    get: (id) => this.read(id),
    set: (id, supply) => this.write(id, supply),
  })

  constructor(memory: PageBudget) {
    this.packed = new PackedRecords('supplies', memory)
  }

  /** The next token, of which nothing is known. */
  push(): void {
    this.packed.push()
  }

  /** Null: it is not known. */
  get(tokenId: number): TokenSupply | null {
    return this.versions.get(tokenId)
  }

  /** How many hold it, without the rest of it; null: it is not known. */
  holders(tokenId: number): number | null {
    const newest = this.versions.newest(tokenId)
    if (newest !== undefined) return newest?.holders ?? null
    const { reader } = this
    if (!this.packed.open(tokenId, reader)) return null
    reader.byte()
    return reader.number()
  }

  /** Is it known, but not who holds it? */
  isIncomplete(tokenId: number): boolean {
    const newest = this.versions.newest(tokenId)
    if (newest !== undefined) return newest?.isComplete === false
    const { reader } = this
    return this.packed.open(tokenId, reader) && reader.byte() === 0
  }

  /** Those that are known, by token, made one at a time. */
  all(): RecordSource<TokenSupply> {
    const ids: number[] = []
    for (let id = 0; id < this.packed.count; id += 1) if (this.isKnown(id)) ids.push(id)
    return { length: ids.length, at: (place) => this.get(ids[place]!) ?? undefined }
  }

  /** With the number of a block that can be reverted, or null. */
  set(supply: TokenSupply, number: number | null): void {
    const { tokenId } = supply
    assert(tokenId < this.packed.count, 'the token is known')
    this.changed(tokenId)
    if (number === null) this.versions.setBase(tokenId, supply)
    else this.versions.set(tokenId, number, supply)
  }

  revert(tokenId: number, number: number): void {
    this.changed(tokenId)
    this.versions.revert(tokenId, number)
  }

  finalize(tokenId: number, number: number): void {
    this.versions.finalize(tokenId, number)
  }

  truncate(count: number): void {
    for (let id = count; id < this.packed.count; id += 1) {
      this.versions.forget(id)
      this.changed(id)
    }
    this.packed.truncate(count)
  }

  /** Where the amounts of a token begin in the rows of `amounts` until the next call; -1: its supply is not known. */
  amountsAt(tokenId: number): number {
    const at = this.amounts.find(tokenId)
    if (at >= 0) return at
    const supply = this.get(tokenId)
    return supply === null ? -1 : this.amounts.keep(supply)
  }

  imaged(): readonly Imaged[] {
    return [this.packed]
  }

  private changed(tokenId: number): void {
    this.amounts.forget(tokenId)
    this.revisions.raise(tokenId)
  }

  private isKnown(tokenId: number): boolean {
    const newest = this.versions.newest(tokenId)
    return newest === undefined ? this.packed.has(tokenId) : newest !== null
  }

  private read(tokenId: number): TokenSupply | null {
    const { reader } = this
    if (!this.packed.open(tokenId, reader)) return null
    return {
      tokenId,
      isComplete: reader.byte() === 1,
      holders: reader.number(),
      total: reader.amount(),
      burnt: reader.amount(),
      locked: reader.amount(),
      other: reader.amount(),
    }
  }

  private write(tokenId: number, supply: TokenSupply | null): void {
    if (supply === null) {
      this.packed.clear(tokenId)
      return
    }
    const writer = this.writer.start()
    writer.byte(Number(supply.isComplete))
    writer.number(supply.holders)
    writer.amount(supply.total)
    writer.amount(supply.burnt)
    writer.amount(supply.locked)
    writer.amount(supply.other)
    this.packed.set(tokenId, writer)
  }
}
