import type { Address } from 'viem'
import type { ListedToken } from '../contracts/deployment.ts'
import { createRandom } from '../random.ts'
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

/** What the crowd believes a token is worth now: two slow waves around its first price. */
export function beliefUsd(scene: Scene, token: ListedToken): number {
  const random = createRandom(`belief/${scene.seed}/${token.symbol}`)
  const waves = [
    { share: 0.65, periodS: 1200 + 2400 * random.next(), phase: 2 * Math.PI * random.next() },
    { share: 0.35, periodS: 240 + 480 * random.next(), phase: 2 * Math.PI * random.next() },
  ]
  const ageS = scene.timestampS - scene.genesisS
  let height = 0
  for (const { share, periodS, phase } of waves)
    height += share * (Math.sin((2 * Math.PI * ageS) / periodS + phase) - Math.sin(phase))
  return token.priceUsd * Math.exp(token.swing * height)
}
