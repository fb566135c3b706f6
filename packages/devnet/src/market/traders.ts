import { crowdOf } from '../contracts/wallets.ts'
import { beliefUsd, ethUsdOf, priceUsd } from './prices.ts'
import { type Intent, type PoolState, type Scene, toRaw } from './scene.ts'
import { swap } from './swap.ts'

const crowdSize = 24

// Two on average: with other bots a block has about three swaps, and memory grows with each.
const tradesPerBlockMax = 3

const momentumShare = 0.2
const momentumMin = 0.003

/**
 * The crowd: most trade towards the believed price, which walks at random; some follow the last
 * move.
 */
export async function tradeCrowd(scene: Scene): Promise<Intent[]> {
  const { random, state } = scene
  const ethUsd = ethUsdOf(scene)
  const intents: Intent[] = []
  const count = 1 + random.below(tradesPerBlockMax)
  for (let i = 0; i < count; i += 1) {
    // Every third trade is in a pool of the native token.
    const isNative = random.isTrue(0.33)
    const candidates = state.pools.filter(
      ({ pool }) => (pool.base === scene.deployment.weth) === isNative,
    )
    const target = random.pick(candidates)
    const isBuy = random.isTrue(await buyProbability(scene, target, ethUsd))
    const intent = trade(scene, target, isBuy)
    if (intent) intents.push(intent)
  }
  return intents
}

async function buyProbability(scene: Scene, target: PoolState, ethUsd: number): Promise<number> {
  const { random } = scene
  if (random.isTrue(momentumShare)) {
    const before = await scene.loadPast(target.pool)
    if (before) {
      const change = (target.quote / target.base) * (before.base / before.quote) - 1
      if (Math.abs(change) > momentumMin) return change > 0 ? 0.85 : 0.15
    }
  }
  const belief = beliefUsd(scene, scene.tokenOf(target.pool.base))
  const distance = Math.log(belief / priceUsd(scene, target, ethUsd))
  return Math.min(0.92, Math.max(0.08, 0.5 + 4 * distance))
}

function trade(scene: Scene, { pool, base, quote }: PoolState, isBuy: boolean): Intent | undefined {
  const { deployment, random, wallets } = scene
  const index = deployment.tokens.findIndex(({ address }) => address === pool.base)
  const wallet = random.pick(crowdOf(wallets, index, crowdSize))
  // Most trades are small for the pool, a few are 30 times larger.
  const share = 0.0005 * 10 ** (1.5 * random.next() ** 2)
  const isTrap = deployment.tokens[index]?.kind === 'honeypot'
  // A few still try to sell, and fail.
  if (isTrap && !isBuy && random.isTrue(0.8)) return undefined
  const amount = toRaw((isBuy ? quote : base) * share)
  if (amount === 0n) return undefined
  return swap(deployment, pool, wallet, isBuy ? pool.quote : pool.base, amount)
}
