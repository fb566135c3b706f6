import { windowNames } from '../../../engine/marketReads.ts'
import type { GatewayChain } from '../../gatewayChain.ts'
import { usdOfE8 } from '../wireNumber.ts'
import { placesOf, type RowPlaces } from './rowPlaces.ts'
import { isSourceSame, setSourceMade, sourceColumns } from './windowSource.ts'

/** What tokens traded in 24 hours, as their rows show it: to order and select them by. */
export type CachedDays = {
  volumeUsd(chain: GatewayChain, tokenId: number, nowS: number): number
  count(chain: GatewayChain, tokenId: number, nowS: number): number
}

const dayWindow = windowNames.indexOf('24h')
const column = { volumeUsd: sourceColumns, count: sourceColumns + 1 } as const
const width = sourceColumns + 2

/** Read again when the token has traded, or time has changed it. */
export function createCachedDays(): CachedDays {
  const byChain = new WeakMap<GatewayChain, RowPlaces>()

  function read(chain: GatewayChain, tokenId: number, nowS: number, of: number): number {
    const { reads } = chain
    const places = placesOf(byChain, chain, width)
    const page = places.page(tokenId)
    const at = places.at(tokenId)
    if (!isSourceSame(page, at, reads, 'token', tokenId, nowS)) {
      const day = reads.tokenTrading(tokenId, dayWindow, nowS)
      page[at + column.volumeUsd] = usdOfE8(day.buyVolumeUsdE8 + day.sellVolumeUsdE8)
      page[at + column.count] = day.buyCount + day.sellCount
      setSourceMade(page, at, day.changesAtS)
    }
    return page[at + of]!
  }

  return {
    volumeUsd: (chain, tokenId, nowS) => read(chain, tokenId, nowS, column.volumeUsd),
    count: (chain, tokenId, nowS) => read(chain, tokenId, nowS, column.count),
  }
}
