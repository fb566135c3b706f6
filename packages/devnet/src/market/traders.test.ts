import type { Address } from 'viem'
import { expect, test } from 'vitest'
import type { Deployment, ListedPool, ListedToken } from '../contracts/deployment.ts'
import { createWallets } from '../contracts/wallets.ts'
import { createRandom } from '../random.ts'
import { randomWalkAt } from './randomWalk.ts'
import type { PoolState, Scene } from './scene.ts'
import { tradeCrowd } from './traders.ts'

const addressOf = (digit: number): Address => `0x${`${digit}`.repeat(40)}`
const [weth, usdc, alfa] = [addressOf(1), addressOf(2), addressOf(3)]
const tokens: readonly ListedToken[] = [
  { address: weth, symbol: 'WETH', decimals: 18, kind: 'native', priceUsd: 2_500, swing: 0.02 },
  { address: usdc, symbol: 'USDC', decimals: 6, kind: 'stable', priceUsd: 1, swing: 0 },
  { address: alfa, symbol: 'ALFA', decimals: 18, kind: 'plain', priceUsd: 2, swing: 0.15 },
]
const wallets = createWallets('traders')
const pools = [weth, alfa].map((base): ListedPool => {
  return { address: base, venue: 'v2', fee: 3_000, base, quote: usdc, lp: wallets.lps[0]! }
})
// Every trade is at least 0.0005 of a pool, and those of ALFA, a thousandth of WETH's, at most
// 0.02.
const wethAmountMin = 10n ** 11n
const genesisS = 1_750_000_000

/** A deep pool at `priceUsd`. */
function poolAt(pool: ListedPool, priceUsd: number): PoolState {
  const base = 1e6
  return { pool, base: base * 1e18, quote: base * priceUsd * 1e6 }
}

type Setting = { seed: string; ageS: number; offBelief: number; moved: number }

/** Share of buys in a thousand blocks' trades of ALFA. */
async function buyShare({ seed, ageS, offBelief, moved }: Setting): Promise<number> {
  // The crowd's belief, computed by hand.
  const priceUsd = 2 * Math.exp(0.15 * randomWalkAt(`belief/${seed}/ALFA`, ageS) + offBelief)
  const state = { pools: [poolAt(pools[0]!, 2_500), poolAt(pools[1]!, priceUsd)], curves: [] }
  const bought: boolean[] = []
  for (let block = 0; block < 1_000; block += 1) {
    const scene: Scene = {
      deployment: { weth, tokens, pools } as unknown as Deployment,
      wallets,
      seed,
      genesisS,
      state,
      random: createRandom(`block/${seed}/${block}`),
      request: () => Promise.reject(new Error('traders ask nothing')),
      timestampS: genesisS + ageS,
      parentTimestampS: genesisS + ageS - 1,
      loadPast: async (pool) =>
        poolAt(pool, pool.base === alfa ? priceUsd * Math.exp(-moved) : 2_500),
      tokenOf: (address) => tokens.find((token) => token.address === address)!,
    }
    for (const intent of await tradeCrowd(scene)) {
      if (intent.type !== 'spend' || typeof intent.amount !== 'bigint') continue
      if (intent.token === alfa) bought.push(false)
      else if (intent.amount < wethAmountMin) bought.push(true)
    }
  }
  expect(bought.length).toBeGreaterThan(500)
  return bought.filter(Boolean).length / bought.length
}

// The share of a thousand trades is known within 0.016; this is four times that.
const slack = 0.065

const seeds = ['one', 'two', 'three']
const agesS = [0, 1_800, 7_200]
const settings = seeds.flatMap((seed) => agesS.map((ageS) => ({ seed, ageS })))

test.each(settings)('behavior: most follow a price that walks: %j', async (at) => {
  const even = await buyShare({ ...at, offBelief: 0, moved: 0 })
  expect(Math.abs(even - 0.5)).toBeLessThan(slack)
  // Eight in ten follow the belief; the others see no move and do the same.
  expect(await buyShare({ ...at, offBelief: -0.2, moved: 0 })).toBeGreaterThan(0.92 - slack)
  expect(await buyShare({ ...at, offBelief: 0.2, moved: 0 })).toBeLessThan(0.08 + slack)
})

test('behavior: some chase what just moved, whatever it is worth', async () => {
  const at = { seed: 'one', ageS: 600, offBelief: 0 }
  const [up, down] = [
    await buyShare({ ...at, moved: 0.05 }),
    await buyShare({ ...at, moved: -0.05 }),
  ]
  // Two in ten follow the move, at 0.85 to 0.15.
  expect(Math.abs(up - (0.8 * 0.5 + 0.2 * 0.85))).toBeLessThan(slack)
  expect(Math.abs(down - (0.8 * 0.5 + 0.2 * 0.15))).toBeLessThan(slack)
})
