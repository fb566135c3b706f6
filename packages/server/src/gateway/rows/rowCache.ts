import { createHash, randomBytes } from 'node:crypto'
import type { GatewayChain } from '../chain/gatewayChain.ts'
import { writeText } from '../ground/encodedJson.ts'
import type { Expiring } from './rowWindows.ts'
import { WindowInputs, type WindowOwner } from './windowInputs.ts'

/** An encoded part of a row, as it is sent. */
export type RowPart = {
  readonly bytes: Buffer
  /** Unique id of the part: equal ids mean equal bytes. */
  readonly contentId: number
  /** Unix seconds at which the passing of time changes the part. */
  readonly validUntilS: number
}

/** Returns a part of a token's or pair's row at this market version and time. */
export type ReadRowPart = (
  chain: GatewayChain,
  id: number,
  version: number,
  nowS: number,
) => RowPart

/**
 * Makes a part as a list of strings and other parts. Joining the strings first would copy them once
 * more.
 */
type MakePart = (
  chain: GatewayChain,
  id: number,
  nowS: number,
  version: number,
) => Expiring<readonly (string | RowPart)[]>

type CachedPart = RowPart & {
  /** Latest market version for which the cached part was known to be current. */
  version: number
  /** Window inputs of a lasting part; null for a moving part. */
  readonly source: WindowInputs | null
  readonly revision: number
}

// Memory of a Map entry, the part object and its buffer, in addition to the bytes.
const overheadBytes = 512
const kindsMax = 16
const idsMax = 2 ** 32
// Share evicted at once: finding a Map's oldest entry skips all entries deleted before it, so
// single evictions would be slow.
const evictedShare = 1 / 16

/**
 * Cache of encoded row parts of all chains, with LRU eviction. A row has a moving part, which every
 * block invalidates, and a lasting part (mainly windows), which outlives blocks and takes ten times
 * as long to make.
 */
export class RowCache {
  readonly #bytesMax: number
  readonly #parts = new Map<number, CachedPart>()
  /**
   * Numbers of chains in cache keys. A reopened chain is a new object, so its old parts are never
   * found.
   */
  readonly #chainNumbers = new WeakMap<GatewayChain, number>()
  #sizeBytes = 0
  #chains = 0
  #kinds = 0
  #made = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** Creates a part that every block invalidates. */
  moving(make: MakePart): ReadRowPart {
    const kind = this.#kinds++
    return (chain, id, version, nowS) => {
      const key = this.#keyOf(chain, kind, id)
      const known = this.#parts.get(key)
      if (known !== undefined && known.version === version && nowS < known.validUntilS) return known
      const { value, validUntilS } = make(chain, id, nowS, version)
      const contentId = this.#made++
      const bytes = bytesOf(value)
      return this.#keep(key, { bytes, contentId, validUntilS, version, source: null, revision: 0 })
    }
  }

  /**
   * Creates a part that stays valid until its token or pair trades. `revisionOf` returns a number
   * that changes with every input of the part other than its windows.
   */
  lasting(
    owner: WindowOwner,
    make: MakePart,
    revisionOf: (chain: GatewayChain, id: number) => number,
  ): ReadRowPart {
    const kind = this.#kinds++
    return (chain, id, version, nowS) => {
      const key = this.#keyOf(chain, kind, id)
      const known = this.#parts.get(key)
      const source = known?.source ?? new WindowInputs()
      if (known?.version === version && source.isCurrentAt(nowS)) return known
      const isSame = source.isCurrent(chain.reads, owner, id, nowS)
      const revision = revisionOf(chain, id)
      if (isSame && known?.revision === revision) {
        known.version = version
        this.#parts.delete(key)
        this.#parts.set(key, known)
        return known
      }
      const { value, validUntilS } = make(chain, id, nowS, version)
      source.validUntilS = validUntilS
      const contentId = this.#made++
      const bytes = bytesOf(value)
      return this.#keep(key, { bytes, contentId, validUntilS, version, source, revision })
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

// Sizes of the pieces of the part being made, kept because measuring a string takes as long as
// writing it. Reused across calls.
const sizes: number[] = []

function bytesOf(pieces: readonly (string | RowPart)[]): Buffer {
  let sizeBytes = 0
  for (let index = 0; index < pieces.length; index += 1) {
    const piece = pieces[index]!
    const size = typeof piece === 'string' ? Buffer.byteLength(piece) : piece.bytes.length
    sizes[index] = size
    sizeBytes += size
  }
  // The buffer is not from Node's pool: a small part would keep its neighbors' memory alive.
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

// Random prefix of tags, because content ids are unique only within a process.
const ofProcess = randomBytes(6).toString('base64url')
const fewParts = 4

/** Returns an ETag value for these parts in this order, enclosed in the same text. */
export function partsEtag(parts: readonly RowPart[], around = ''): string {
  if (parts.length <= fewParts && around === '')
    return `${ofProcess}.${parts.map(({ contentId }) => contentId.toString(36)).join('.')}`
  const contentIds = Float64Array.from(parts, ({ contentId }) => contentId)
  return createHash('sha1').update(ofProcess).update(around).update(contentIds).digest('base64url')
}
