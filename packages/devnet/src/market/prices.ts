import type { Address } from 'viem'
import type { ListedToken } from '../contracts/deployment.ts'
import { randomWalkAt } from './randomWalk.ts'
import type { PoolState, Scene } from './scene.ts'

/** Dollars for a whole base token in this pool. */
export function priceUsd(scene: Scene, { pool, base, quote }: PoolState, ethUsd: number): number {
  const { decimals: baseDecimals } = scene.tokenOf(pool.base)
  const { decimals: quoteDecimals, kind } = scene.tokenOf(pool.quote)
  return (quote / base) * 10 ** (baseDecimals - quoteDecimals) * (kind === 'native' ? ethUsd : 1)
}

/** Average over the token's pools, weighted by depth. */
export function fairUsd(scene: Scene, base: Address, ethUsd: number): number {
  let sum = 0
  let weights = 0
  for (const state of scene.state.pools) {
    if (state.pool.base !== base) continue
    const weight = depthUsd(scene, state, ethUsd)
    sum += weight * priceUsd(scene, state, ethUsd)
    weights += weight
  }
  return sum / weights
}

export function depthUsd(scene: Scene, { pool, quote }: PoolState, ethUsd: number): number {
  const { decimals, kind } = scene.tokenOf(pool.quote)
  return (quote / 10 ** decimals) * (kind === 'native' ? ethUsd : 1)
}

export function ethUsdOf(scene: Scene): number {
  return fairUsd(scene, scene.deployment.weth, 1)
}

/**
 * Price that the crowd believes in now: a random walk from the first price, with the token's swing.
 */
export function beliefUsd(scene: Scene, token: ListedToken): number {
  const ageS = scene.timestampS - scene.genesisS
  const place = randomWalkAt(`belief/${scene.seed}/${token.symbol}`, ageS)
  return token.priceUsd * Math.exp(token.swing * place)
}
