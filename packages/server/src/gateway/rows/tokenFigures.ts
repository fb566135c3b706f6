import type { GatewayChain } from '../gatewayChain.ts'

export function mainPairTvlUsd({ reads }: GatewayChain, mainPairId: number | null): number {
  return mainPairId === null ? 0 : finite(reads.pairTvlUsd(mainPairId))
}

/** As on the wire, where a number that is none is 0. */
export function finite(x: number): number {
  return Number.isFinite(x) ? x : 0
}
