import type { GatewayChain } from '../gatewayChain.ts'
import type { DayTrading } from './rowWindows.ts'

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

export function tokenFigures(
  chain: GatewayChain,
  tokenId: number,
  { volumeUsd }: DayTrading,
): TokenFigures {
  const record = chain.reads.tokenRecord(tokenId)
  const { mainPairId, marketCapUsd, fdvUsd } = chain.reads.tokenWorth(tokenId)
  return {
    symbol: record.symbol.toLowerCase(),
    name: record.name.toLowerCase(),
    address: record.address.toLowerCase(),
    mainPairTvlUsd: mainPairTvlUsd(chain, mainPairId),
    marketCapUsd: finite(marketCapUsd),
    fdvUsd: finite(fdvUsd),
    volume24hUsd: volumeUsd,
  }
}

export function mainPairTvlUsd({ reads }: GatewayChain, mainPairId: number | null): number {
  return mainPairId === null ? 0 : finite(reads.pairTvlUsd(mainPairId))
}

/** As on the wire, where a number that is none is 0. */
export function finite(x: number): number {
  return Number.isFinite(x) ? x : 0
}
