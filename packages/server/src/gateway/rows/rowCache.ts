import { createHash, randomBytes } from 'node:crypto'
import type { GatewayChain } from '../gatewayChain.ts'
import { writeText } from '../operation/encoded.ts'
import type { Made } from './rowWindows.ts'
import { type SourceOf, WindowSource } from './windowSource.ts'

/** A part of a row as it is sent. */
export type RowPart = {
  readonly bytes: Buffer
  /** No other part has the same number: equal numbers are equal bytes. */
  readonly number: number
  /** Unix seconds from which the passing of time changes the part. */
  readonly validUntilS: number
}

/** Returns a part of the row of a token or pair, in this version of the market at this time. */
export type PartOf = (chain: GatewayChain, id: number, version: number, nowS: number) => RowPart

/** Makes a part, as texts and other parts one behind the other: joined texts would be copied once more. */
type MakePart = (
  chain: GatewayChain,
  id: number,
  nowS: number,
  version: number,
) => Made<readonly (string | RowPart)[]>

type LastingOptions = {
  make: MakePart
  isOf: SourceOf
  /** A number that changes with everything else the part is made of. */
  revisionOf(chain: GatewayChain, id: number): number
}

type CachedPart = RowPart & {
  /** Version of the market in which the part was last found good. */
  version: number
  /** A part that stays valid across blocks. */
  readonly source: WindowSource | null
  readonly revision: number
}

// A Map's entry, the part and its buffer, beside the bytes themselves.
const overheadBytes = 512
const kindsMax = 16
const idsMax = 2 ** 32
// Evicted at once: to find its oldest entry a Map passes over all that were deleted before it.
const evictedShare = 1 / 16

/**
 * Parts of the rows of all chains, least recently used first. A row has a part that every block voids, and one that
 * outlives blocks, windows above all, which take ten times as long to make.
 */
export class RowCache {
  readonly #bytesMax: number
  readonly #parts = new Map<number, CachedPart>()
  /** A chain that starts again is another object: its old parts are never found. */
  readonly #chainNumbers = new WeakMap<GatewayChain, number>()
  #sizeBytes = 0
  #chains = 0
  #kinds = 0
  #made = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** A part that every block voids. */
  moving(make: MakePart): PartOf {
    const kind = this.#kinds++
    return (chain, id, version, nowS) => {
      const key = this.#keyOf(chain, kind, id)
      const known = this.#parts.get(key)
      if (known !== undefined && known.version === version && nowS < known.validUntilS) return known
      const { value, validUntilS } = make(chain, id, nowS, version)
      const number = this.#made++
      const bytes = bytesOf(value)
      return this.#keep(key, { bytes, number, validUntilS, version, source: null, revision: 0 })
    }
  }

  /** A part that a block without a trade of its token or pair leaves as it is. */
  lasting({ make, isOf, revisionOf }: LastingOptions): PartOf {
    const kind = this.#kinds++
    return (chain, id, version, nowS) => {
      const key = this.#keyOf(chain, kind, id)
      const known = this.#parts.get(key)
      const source = known?.source ?? new WindowSource()
      if (known?.version === version && source.isTimeSame(nowS)) return known
      const isSame = source.isSame(chain.reads, isOf, id, nowS)
      const revision = revisionOf(chain, id)
      if (isSame && known?.revision === revision) {
        known.version = version
        this.#parts.delete(key)
        this.#parts.set(key, known)
        return known
      }
      const { value, validUntilS } = make(chain, id, nowS, version)
      source.validUntilS = validUntilS
      const number = this.#made++
      const bytes = bytesOf(value)
      return this.#keep(key, { bytes, number, validUntilS, version, source, revision })
    }
  }

  #keyOf(chain: GatewayChain, kind: number, id: number): number {
    let number = this.#chainNumbers.get(chain)
    if (number === undefined) {
      number = this.#chains++
      this.#chainNumbers.set(chain, number)
    }
    return (number * kindsMax + kind) * idsMax + id
  }

  #keep(key: number, part: CachedPart): RowPart {
    this.#drop(key)
    this.#parts.set(key, part)
    this.#sizeBytes += part.bytes.length + overheadBytes
    if (this.#sizeBytes > this.#bytesMax) {
      for (const oldest of this.#parts.keys()) {
        this.#drop(oldest)
        if (this.#sizeBytes <= this.#bytesMax * (1 - evictedShare)) break
      }
    }
    return part
  }

  #drop(key: number): void {
    const known = this.#parts.get(key)
    if (known === undefined) return
    this.#parts.delete(key)
    this.#sizeBytes -= known.bytes.length + overheadBytes
  }
}

// Sizes of the part that is being made: counting the bytes of a text takes as long as writing them.
const sizes: number[] = []

function bytesOf(pieces: readonly (string | RowPart)[]): Buffer {
  let sizeBytes = 0
  for (let index = 0; index < pieces.length; index += 1) {
    const piece = pieces[index]!
    const size = typeof piece === 'string' ? Buffer.byteLength(piece) : piece.bytes.length
    sizes[index] = size
    sizeBytes += size
  }
  // Not of Node's pool: one part would hold the memory of its neighbors.
  const bytes = Buffer.allocUnsafeSlow(sizeBytes)
  let at = 0
  for (let index = 0; index < pieces.length; index += 1) {
    const piece = pieces[index]!
    if (typeof piece === 'string') writeText(bytes, at, piece, sizes[index]!)
    else bytes.set(piece.bytes, at)
    at += sizes[index]!
  }
  return bytes
}

// Numbers mean nothing to another process.
const ofProcess = randomBytes(6).toString('base64url')
const fewParts = 4

/** A name for the bytes of these parts, in this order, with the same text around them. */
export function partsTag(parts: readonly RowPart[], around = ''): string {
  if (parts.length <= fewParts && around === '')
    return `${ofProcess}.${parts.map(({ number }) => number.toString(36)).join('.')}`
  const numbers = Float64Array.from(parts, ({ number }) => number)
  return createHash('sha1').update(ofProcess).update(around).update(numbers).digest('base64url')
}
