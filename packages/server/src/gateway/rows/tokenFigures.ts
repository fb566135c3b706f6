import { windowNames } from '../../engine/marketReads.ts'
import { decimalOfE8 } from '../../lib/decimal.ts'
import type { GatewayChain } from '../gatewayChain.ts'

/** What tokens are found and ordered by: the numbers that their rows show, and no others. */
export type TokenFigures = {
  /** Lower case. */
  symbol: string
  name: string
  address: string
  mainPairTvlUsd: number
  marketCapUsd: number
  fdvUsd: number
  volume24hUsd: number
}

const dayWindow = windowNames.indexOf('24h')

export function tokenFigures(chain: GatewayChain, tokenId: number, nowS: number): TokenFigures {
  const { record, mainPairId, marketCapUsd, fdvUsd } = chain.reads.tokenState(tokenId)
  return {
    symbol: record.symbol.toLowerCase(),
    name: record.name.toLowerCase(),
    address: record.address.toLowerCase(),
    mainPairTvlUsd: mainPairTvlUsd(chain, mainPairId),
    marketCapUsd: finite(marketCapUsd),
    fdvUsd: finite(fdvUsd),
    volume24hUsd: dayTrading(chain, tokenId, nowS).volumeUsd,
  }
}

export function mainPairTvlUsd({ reads }: GatewayChain, mainPairId: number | null): number {
  return mainPairId === null ? 0 : finite(reads.pairState(mainPairId).tvlUsd)
}

/** Over all pairs of the token, in the last 24 hours. */
export function dayTrading(
  { reads }: GatewayChain,
  tokenId: number,
  nowS: number,
): { volumeUsd: number; count: number } {
  const day = reads.tokenWindow(tokenId, dayWindow, nowS)
  const volumeUsd = Number(decimalOfE8(day.buyVolumeUsdE8 + day.sellVolumeUsdE8))
  return { volumeUsd, count: day.buyCount + day.sellCount }
}

/** As on the wire, where a number that is none is 0. */
function finite(x: number): number {
  return Number.isFinite(x) ? x : 0
}
