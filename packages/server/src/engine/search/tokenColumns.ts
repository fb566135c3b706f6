import { grownUncounted } from '../../lib/grown.ts'
import { isStandIn, type TokenRecord } from '../../model/token.ts'
import type { Imaged } from '../pages/imaged.ts'
import { imageBytes, imageField } from '../pages/imageFields.ts'

const firstTokens = 1 << 10
/** In the place of a time: it was looked for, and nobody can tell. */
const inVain = 0xffffffff

/** What is asked of tokens for each event, by id: it must not go through the records. */
export class TokenColumns implements Imaged {
  readonly name = 'tokenColumns'
  private count = 0
  /** -1: it is not a quote asset. */
  private quoteIndexes = new Int16Array(firstTokens)
  private decimalsOf = new Uint8Array(firstTokens)
  /** 1: it has not said how many decimals it has. */
  private areStandIns = new Uint8Array(firstTokens)
  /** When its contract was made; 0: nobody looked for it yet. */
  private creations = new Uint32Array(firstTokens)

  push(record: TokenRecord, quoteIndex: number): void {
    this.growTo(this.count + 1)
    this.count += 1
    this.quoteIndexes[record.id] = quoteIndex
    this.creations[record.id] = 0
    this.set(record)
  }

  /** Another record of the same token. */
  set(record: TokenRecord): void {
    this.decimalsOf[record.id] = record.decimals
    this.areStandIns[record.id] = Number(isStandIn(record))
  }

  truncate(count: number): void {
    this.count = count
  }

  quoteIndex(id: number): number {
    return this.quoteIndexes[id]!
  }

  decimals(id: number): number {
    return this.decimalsOf[id]!
  }

  isStandIn(id: number): boolean {
    return this.areStandIns[id] !== 0
  }

  /** Unix seconds, null: nobody can tell, undefined: it was not looked for yet. */
  creation(id: number): number | null | undefined {
    const atS = this.creations[id]!
    if (atS === 0) return undefined
    return atS === inVain ? null : atS
  }

  setCreation(id: number, atS: number | null | undefined): void {
    this.creations[id] = atS === undefined ? 0 : atS || inVain
  }

  imageFields(): Map<string, Uint8Array> {
    const { count } = this
    return new Map([
      ['quoteIndexes', imageBytes(this.quoteIndexes.subarray(0, count))],
      ['decimals', imageBytes(this.decimalsOf.subarray(0, count))],
      ['areStandIns', imageBytes(this.areStandIns.subarray(0, count))],
      ['creations', imageBytes(this.creations.subarray(0, count))],
    ])
  }

  fillFrom(fields: ReadonlyMap<string, Uint8Array>): void {
    this.count = imageField(fields, 'decimals').length
    this.growTo(this.count)
    imageBytes(this.quoteIndexes).set(imageField(fields, 'quoteIndexes'))
    imageBytes(this.decimalsOf).set(imageField(fields, 'decimals'))
    imageBytes(this.areStandIns).set(imageField(fields, 'areStandIns'))
    imageBytes(this.creations).set(imageField(fields, 'creations'))
  }

  private growTo(count: number): void {
    while (this.decimalsOf.length < count) {
      this.quoteIndexes = grownUncounted(this.quoteIndexes)
      this.decimalsOf = grownUncounted(this.decimalsOf)
      this.areStandIns = grownUncounted(this.areStandIns)
      this.creations = grownUncounted(this.creations)
    }
  }
}
