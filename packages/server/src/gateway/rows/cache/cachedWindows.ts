import type { GatewayChain } from '../../gatewayChain.ts'
import type { Made } from '../rowWindows.ts'
import { type ByteRing, writeRow } from './byteRing.ts'
import { findRow, type MadeRow, setPlace } from './cachedRows.ts'
import { placeColumns, placesOf, type RowPlaces } from './rowPlaces.ts'
import {
  isSourceSame,
  isTimeSame,
  type SourceOf,
  setSourceMade,
  sourceColumns,
  validUntilSOf,
} from './windowSource.ts'

type CachedWindowsOptions = {
  ring: ByteRing
  /** JSON, the first part of a row, as texts: joined they would be copied once more, as garbage. */
  make(chain: GatewayChain, id: number, nowS: number): Made<readonly string[]>
  isOf: SourceOf
  /** Of what else it is made of: another number when that has changed. */
  revisionOf(chain: GatewayChain, id: number): number
}

/** What a block without a trade of a token or pair leaves as it is: its windows, and what it says of itself. */
export type CachedWindows = (
  chain: GatewayChain,
  id: number,
  version: number,
  nowS: number,
) => MadeRow

/** Of the market in which it was last found to be good: as long as that is the same there is no need to look. */
const versionAt = placeColumns
const revisionAt = placeColumns + 1
const sourceFrom = placeColumns + 2
const width = sourceFrom + sourceColumns

export function createCachedWindows(options: CachedWindowsOptions): CachedWindows {
  const { ring, make, isOf, revisionOf } = options
  const byChain = new WeakMap<GatewayChain, RowPlaces>()

  /** Is what was made before still good? If not, writes down what is made now is of. */
  function isGood(
    chain: GatewayChain,
    id: number,
    page: Float64Array,
    at: number,
    nowS: number,
  ): boolean {
    const isSame = isSourceSame(page, at + sourceFrom, chain.reads, isOf, id, nowS)
    const revision = revisionOf(chain, id)
    if (page[at + revisionAt] === revision) return isSame
    page[at + revisionAt] = revision
    return false
  }

  return (chain, id, version, nowS) => {
    const places = placesOf(byChain, chain, width)
    const page = places.page(id)
    const at = places.at(id)
    const source = at + sourceFrom
    if (
      (page[at + versionAt] === version && isTimeSame(page, source, nowS)) ||
      isGood(chain, id, page, at, nowS)
    ) {
      const row = findRow(ring, page, at)
      page[at + versionAt] = version
      if (row !== null) return { row, validUntilS: validUntilSOf(page, source) }
      ring.miss()
    }
    // Until it is made there is none.
    setSourceMade(page, source, 0)
    const { value, validUntilS } = make(chain, id, nowS)
    const row = writeRow(ring, value)
    setPlace(page, at, row)
    setSourceMade(page, source, validUntilS)
    page[at + versionAt] = version
    return { row, validUntilS }
  }
}
