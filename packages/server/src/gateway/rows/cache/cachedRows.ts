import type { GatewayChain } from '../../gatewayChain.ts'
import type { ByteRing, RowBytes } from './byteRing.ts'
import { placeColumns, placesOf, placeColumn as R, type RowPlaces } from './rowPlaces.ts'

type CachedRowsOptions = {
  ring: ByteRing
  /** Writes the row into the ring. */
  make(chain: GatewayChain, id: number, version: number, nowS: number): MadeRow
}

/** A row, and when the passing of time alone will change it. */
export type MadeRow = { row: RowBytes; validUntilS: number }

/** Rows of tokens or pairs: made once per change of the market, and given out until the next. */
type CachedRows = (chain: GatewayChain, id: number, version: number, nowS: number) => RowBytes

const column = { version: placeColumns, validUntilS: placeColumns + 1 } as const
// A line of the cache has eight numbers.
const width = 8

export function createCachedRows({ ring, make }: CachedRowsOptions): CachedRows {
  const byChain = new WeakMap<GatewayChain, RowPlaces>()

  return (chain, id, version, nowS) => {
    const places = placesOf(byChain, chain, width)
    const page = places.page(id)
    const at = places.at(id)
    // Nothing is cached yet: generations count from 1.
    const isKept = page[at + R.generation] !== 0
    if (isKept && page[at + column.version] === version && nowS < page[at + column.validUntilS]!) {
      const found = findRow(ring, page, at)
      if (found !== null) return found
      ring.miss()
    }
    const { row, validUntilS } = make(chain, id, version, nowS)
    setPlace(page, at, row)
    page[at + column.version] = version
    page[at + column.validUntilS] = validUntilS
    return row
  }
}

export function findRow(ring: ByteRing, page: Float64Array, at: number): RowBytes | null {
  const generation = page[at + R.generation]!
  const found = ring.find(
    page[at + R.segment]!,
    generation,
    page[at + R.at]!,
    page[at + R.sizeBytes]!,
  )
  if (found !== null && found.generation !== generation) setPlace(page, at, found)
  return found
}

/** A row that the ring does not keep has the generation 0. */
export function setPlace(page: Float64Array, at: number, row: RowBytes): void {
  page[at + R.segment] = row.segment
  page[at + R.generation] = row.generation
  page[at + R.at] = row.at
  page[at + R.sizeBytes] = row.sizeBytes
}
