// Weighted pools of the real Balancer V2 vault, with two and three tokens, compared with the
// vault's own answers.
import type { Address, Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SwapEvent } from '../../packages/server/src/model/marketEvent.ts'
import { type BalancerVault, deployBalancerVault, loadBalancer } from '../support/balancerVault.ts'
import { callOf } from '../support/concentratedPool.ts'
import { type DevNode, startDevNode } from '../support/devNode.ts'
import { netTransferTo } from '../support/netTransferTo.ts'
import { deployArtifact } from '../support/simulate.ts'
import { openVenueRun } from '../support/venueRun.ts'

const factoryOf = loadBalancer('20210418-weighted-pool', 'WeightedPoolFactory')
const unit = 10n ** 18n
const feePercentage = 3n * 10n ** 15n
type Run = ReturnType<typeof openVenueRun>

let node: DevNode
let vault: BalancerVault
let factory: Address

beforeAll(async () => {
  node = await startDevNode()
  vault = await deployBalancerVault(node)
  factory = await deployArtifact(node, factoryOf, [vault.vault])
})

afterAll(async () => {
  await node?.stop()
})

/** Creates a pool and joins it with the given amounts. */
async function openPool(run: Run, weights: readonly bigint[], amounts: readonly bigint[]) {
  const assets = vault.tokens.slice(0, weights.length)
  const terms = ['Pool', 'BPT', assets, weights, feePercentage, vault.from]
  const { receipt } = await run.play(callOf(vault.from, factory, factoryOf.abi, 'create', terms))
  const { id } = await vault.poolOf(receipt, factory)
  // A pool of more than two tokens has no pair until two of them are traded.
  expect(run.pipeline.rows.pairs.has(id)).toBe(assets.length === 2)
  await run.play(vault.joinOf(id, assets, amounts))
  return { id, assets }
}

/** Checks that reserves equal the vault's, and that the price follows from them and the weights. */
async function expectAsVault(
  { engine }: Run,
  pair: number,
  id: Hex,
  places: readonly [number, number],
  weights: readonly bigint[],
): Promise<void> {
  const { balances } = await vault.poolTokens(id)
  const state = engine.pairState(pair)
  const [balance0, balance1] = places.map((place) => balances[place]!) as [bigint, bigint]
  expect([state.reserve0, state.reserve1]).toEqual([balance0, balance1])
  const [weight0, weight1] = places.map((place) => Number(weights[place]!)) as [number, number]
  const price = Number(balance1) / weight1 / (Number(balance0) / weight0)
  expect(state.priceRaw / price).toBeCloseTo(1, 12)
  expect(state.record).toMatchObject({ venue: 'balancerV2', amm: 'balancerv2', isTrusted: true })
}

describe.each([
  { name: 'two tokens', weights: [8n, 2n].map((tenths) => (tenths * unit) / 10n) },
  { name: 'three tokens', weights: [5n, 3n, 2n].map((tenths) => (tenths * unit) / 10n) },
])('$name', ({ weights }) => {
  test('behavior: amounts are those moved, reserves and price the vault’s, also for an indexer that starts later', async () => {
    const { profile, from, swapOf } = vault
    const run = openVenueRun({ node, profile })
    const amounts = weights.map((_, i) => BigInt(i + 1) * 100_000n * unit)
    const { id, assets } = await openPool(run, weights, amounts)
    const { number } = await node.readHead()
    const later = openVenueRun({ node, profile, startBlock: number + 1 })
    const last = assets.length - 1
    for (const [placeIn, placeOut, kind, amount] of [
      [0, last, 0, 5_000n],
      [last, 0, 0, 20_000n],
      [0, 1, 1, 1_000n],
      [last, last - 1, 1, 10n],
      [1, 0, 0, 3n],
    ] as const) {
      const [assetIn, assetOut] = [assets[placeIn]!, assets[placeOut]!]
      const { swaps, receipt } = await run.play(swapOf(id, assetIn, assetOut, kind, amount * unit))
      expect(swaps).toHaveLength(1)
      const [{ swap }] = swaps as [SwapEvent]
      const places = [placeIn, placeOut].toSorted() as [number, number]
      expect(swap.wallet).toBe(from)
      expect([swap.amount0, swap.amount1]).toEqual(
        places.map((place) => netTransferTo(receipt, assets[place]!, vault.vault)),
      )
      await expectAsVault(run, swap.pairId, id, places, weights)
      const [{ swap: seen }] = (await later.follow()) as [SwapEvent]
      expect([seen.amount0, seen.amount1]).toEqual([swap.amount0, swap.amount1])
      await expectAsVault(later, seen.pairId, id, places, weights)
    }
    for (const one of [run, later]) one.pipeline.close()
  })
})
