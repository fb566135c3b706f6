import { beliefUsd, ethUsdOf, fairUsd, priceUsd } from './prices.ts'
import { type Intent, isDue, type PoolState, type Scene, toRaw } from './scene.ts'
import { swap } from './swap.ts'

const tradesPerBlockMax = 2

// Above the pool's fee; smaller gains are not worth a trade.
const gainMin = 0.002

const dumpPeriodS = 90

/** Moves pools of the same token to one price, the furthest apart first. */
export function arbitrage(scene: Scene): Intent[] {
  const { deployment, random, wallets } = scene
  const ethUsd = ethUsdOf(scene)
  const apart: { state: PoolState; fair: number; price: number; gain: number }[] = []
  for (const state of scene.state.pools) {
    const { pool } = state
    const price = priceUsd(scene, state, ethUsd)
    const fair = fairUsd(scene, pool.base, ethUsd)
    const gain = Math.abs(Math.log(fair / price)) - pool.fee / 1e6
    if (gain > gainMin) apart.push({ state, fair, price, gain })
  }
  apart.sort((a, b) => b.gain - a.gain)
  const owners = [...wallets.arbitrageurs]
  const intents: Intent[] = []
  for (const { state, fair, price } of apart.slice(0, tradesPerBlockMax)) {
    const owner = owners.splice(random.below(owners.length), 1)[0]!
    const { tokenIn, amount } = amountTo(state, fair / price)
    if (amount > 0n) intents.push(swap(deployment, state.pool, owner, tokenIn, amount))
  }
  return intents
}

/** Only the owner of a honeypot can sell, and does. */
export function dumpHoneypot(scene: Scene): Intent[] {
  if (!isDue(scene, dumpPeriodS, 40)) return []
  const { deployment, wallets } = scene
  const ethUsd = ethUsdOf(scene)
  return scene.state.pools.flatMap((state) => {
    const token = scene.tokenOf(state.pool.base)
    if (token.kind !== 'honeypot') return []
    const { tokenIn, amount } = amountTo(
      state,
      beliefUsd(scene, token) / priceUsd(scene, state, ethUsd),
    )
    if (tokenIn !== token.address || amount === 0n) return []
    return [swap(deployment, state.pool, wallets.deployer, tokenIn, amount)]
  })
}

/** Side and amount of a sale that changes a constant product's price by a factor. */
function amountTo({ pool, base, quote }: PoolState, factor: number) {
  const root = Math.sqrt(factor)
  return factor > 1
    ? { tokenIn: pool.quote, amount: toRaw(quote * (root - 1)) }
    : { tokenIn: pool.base, amount: toRaw(base * (1 / root - 1)) }
}
