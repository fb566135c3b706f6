import { doubledGcNeutral } from '../../lib/growArray.ts'
import { hasPlaceholderMetadata, type TokenRecord } from '../../model/token.ts'
import type { ImagePart } from '../pages/imagePart.ts'
import { imageBytes, imageField } from '../pages/imagePart.ts'

const firstTokens = 1 << 10
/** Stored in place of a creation time that was searched without result. */
const searchedWithoutResult = 0xffffffff

/**
 * Token properties that every event needs, indexed by id, so that no event has to decode records.
 */
export class TokenProperties implements ImagePart {
  readonly name = 'tokenColumns'
  #count = 0
  /** Position in the list of quote assets; -1 if the token is not one. */
  #quoteIndexes = new Int16Array(firstTokens)
  #decimalsOf = new Uint8Array(firstTokens)
  /** 1 if the token's contract has not reported its decimals yet. */
  #areStandIns = new Uint8Array(firstTokens)
  /** Creation time of the token's contract; 0 if it was not searched yet. */
  #creationTimes = new Uint32Array(firstTokens)

  push(record: TokenRecord, quoteIndex: number): void {
    this.#growTo(this.#count + 1)
    this.#count += 1
    this.#quoteIndexes[record.id] = quoteIndex
    this.#creationTimes[record.id] = 0
    this.set(record)
  }

  /** Updates the columns from a new record of the same token. */
  set(record: TokenRecord): void {
    this.#decimalsOf[record.id] = record.decimals
    this.#areStandIns[record.id] = Number(hasPlaceholderMetadata(record))
  }

  truncate(count: number): void {
    this.#count = count
  }

  quoteIndex(id: number): number {
    return this.#quoteIndexes[id]!
  }

  decimals(id: number): number {
    return this.#decimalsOf[id]!
  }

  isStandIn(id: number): boolean {
    return this.#areStandIns[id] !== 0
  }

  /**
   * Creation time of a token's contract in Unix seconds: null if no node can report it, undefined
   * if it was not searched yet.
   */
  creation(id: number): number | null | undefined {
    const atS = this.#creationTimes[id]!
    if (atS === 0) return undefined
    return atS === searchedWithoutResult ? null : atS
  }

  setCreation(id: number, atS: number | null | undefined): void {
    this.#creationTimes[id] = atS === undefined ? 0 : atS || searchedWithoutResult
  }

  imageFields(): Map<string, Uint8Array> {
    const count = this.#count
    return new Map([
      ['quoteIndexes', imageBytes(this.#quoteIndexes.subarray(0, count))],
      ['decimals', imageBytes(this.#decimalsOf.subarray(0, count))],
      ['areStandIns', imageBytes(this.#areStandIns.subarray(0, count))],
      ['creations', imageBytes(this.#creationTimes.subarray(0, count))],
    ])
  }

  fillFromImage(fields: ReadonlyMap<string, Uint8Array>): void {
    this.#count = imageField(fields, 'decimals').length
    this.#growTo(this.#count)
    imageBytes(this.#quoteIndexes).set(imageField(fields, 'quoteIndexes'))
    imageBytes(this.#decimalsOf).set(imageField(fields, 'decimals'))
    imageBytes(this.#areStandIns).set(imageField(fields, 'areStandIns'))
    imageBytes(this.#creationTimes).set(imageField(fields, 'creations'))
  }

  #growTo(count: number): void {
    while (this.#decimalsOf.length < count) {
      this.#quoteIndexes = doubledGcNeutral(this.#quoteIndexes)
      this.#decimalsOf = doubledGcNeutral(this.#decimalsOf)
      this.#areStandIns = doubledGcNeutral(this.#areStandIns)
      this.#creationTimes = doubledGcNeutral(this.#creationTimes)
    }
  }
}
