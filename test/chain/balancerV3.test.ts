// Weighted pools of the real Balancer V3 vault, with two and three tokens, compared with the
// vault's own answers.
import type { Address } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { FinishedLiquidity } from '../../packages/server/src/model/finishedBlock.ts'
import type { SwapEvent } from '../../packages/server/src/model/marketEvent.ts'
import { type BalancerVaultV3, deployBalancerVaultV3 } from '../support/balancerVaultV3.ts'
import { type DevNode, startDevNode } from '../support/devNode.ts'
import { netTransferTo } from '../support/netTransferTo.ts'
import { openVenueRun } from '../support/venueRun.ts'

const unit = 10n ** 18n
const feePercentage = 3n * 10n ** 15n
const weightsOf = (...tenths: readonly bigint[]) => tenths.map((part) => (part * unit) / 10n)
// The first test compiles the contracts, which takes about a minute of CPU on an idle machine.
const compileMsMax = 900_000
type Run = ReturnType<typeof openVenueRun>

let node: DevNode

beforeAll(async () => {
  node = await startDevNode()
})

afterAll(async () => {
  await node?.stop()
})

/** Creates a pool with its initial amounts. */
async function openPool(vault: BalancerVaultV3, run: Run, weights: readonly bigint[]) {
  const assets = vault.tokens.slice(0, weights.length)
  const amounts = weights.map((_, i) => BigInt(i + 1) * 100_000n * unit)
  const pool = await vault.deployPool(weights)
  await run.play(vault.registerOf(pool, assets, feePercentage))
  await run.play(vault.initializeOf(pool, assets, amounts))
  return { pool, assets }
}

/** Liquidity events of the newest block. */
const liquidityOf = ({ pipeline }: Run) =>
  pipeline.results
    .at(-1)!
    .block.events.filter((event): event is FinishedLiquidity => event.type === 'liquidity')

/**
 * Checks that reserves equal the vault's balance of the pool without the fees kept for the
 * protocol.
 */
async function expectAsVault(
  vault: BalancerVaultV3,
  { engine }: Run,
  pair: number,
  pool: Address,
): Promise<void> {
  const balances = await vault.balancesOf(pool)
  const state = engine.pairState(pair)
  expect([state.reserve0, state.reserve1]).toEqual(balances)
  const feePpm = Number((await vault.feeOf(pool)) / 10n ** 12n)
  expect(state.record).toMatchObject({ venue: 'balancerV3', isTrusted: true, feePpm })
}

describe.each([
  { name: 'nothing', protocolShare: 0n },
  { name: 'half', protocolShare: unit / 2n },
])('the protocol takes $name of fees', ({ protocolShare }) => {
  let vault: BalancerVaultV3
  beforeAll(async () => {
    vault = await deployBalancerVaultV3(node, protocolShare)
  }, compileMsMax)

  test('behavior: amounts are those moved, reserves the vault’s and the price was paid, also for an indexer that starts later', async () => {
    const { profile, from, swapOf } = vault
    const run = openVenueRun({ node, profile })
    const { pool, assets } = await openPool(vault, run, weightsOf(8n, 2n))
    const { number } = await node.readHead()
    const later = openVenueRun({ node, profile, startBlock: number + 1 })
    for (const [placeIn, kind, amount] of [
      [0, 0, 5_000n],
      [1, 0, 20_000n],
      [0, 1, 1_000n],
      [1, 1, 10n],
    ] as const) {
      const [tokenIn, tokenOut] = [assets[placeIn]!, assets[1 - placeIn]!]
      const { swaps, receipt } = await run.play(
        swapOf(pool, tokenIn, tokenOut, kind, amount * unit),
      )
      expect(swaps).toHaveLength(1)
      const [{ swap }] = swaps as [SwapEvent]
      expect(swap.wallet).toBe(from)
      const moved = assets.map((token) => netTransferTo(receipt, token, vault.vault))
      expect([swap.amount0, swap.amount1]).toEqual(moved)
      const paid = -Number(moved[1]) / Number(moved[0])
      expect(run.engine.pairState(swap.pairId).priceRaw / paid).toBeCloseTo(1, 12)
      await expectAsVault(vault, run, swap.pairId, pool)
      const [{ swap: seen }] = (await later.follow()) as [SwapEvent]
      expect([seen.amount0, seen.amount1]).toEqual(moved)
      await expectAsVault(vault, later, seen.pairId, pool)
    }
    const isKept = (await vault.keptOf(pool, assets[0]!)) > 0n
    expect(isKept).toBe(protocolShare > 0n)
    for (const one of [run, later]) one.pipeline.close()
  })

  test('behavior: liquidity changes have the amounts added and removed, even if a part was swapped', async () => {
    const { profile, from } = vault
    const run = openVenueRun({ node, profile })
    const { pool, assets } = await openPool(vault, run, weightsOf(5n, 5n))
    const [first] = liquidityOf(run)
    expect(first).toMatchObject({ kind: 'add', wallet: from, amount0: 100_000n * unit })
    const shares = await vault.sharesOf(pool)
    for (const call of [
      vault.addOf(pool, assets, [1_000n * unit, 5n * unit]),
      vault.removeOf(pool, assets, shares / 4n, 'proportional'),
      vault.removeOf(pool, assets, shares / 100n, 'single'),
    ]) {
      const { receipt } = await run.play(call)
      const moved = assets.map((token) => netTransferTo(receipt, token, vault.vault))
      const changes = liquidityOf(run)
      expect(changes).toHaveLength(1)
      const [{ kind, amount0, amount1, pairId, sender }] = changes as [FinishedLiquidity]
      expect([kind, sender]).toEqual([moved[0]! > 0n ? 'add' : 'remove', from])
      const sign = kind === 'add' ? 1n : -1n
      expect([sign * amount0, sign * amount1]).toEqual(moved)
      await expectAsVault(vault, run, pairId, pool)
    }
    run.pipeline.close()
  })

  test('behavior: each swap in a pool of three tokens is one of its two tokens, with the amounts moved', async () => {
    const { profile, swapOf } = vault
    const run = openVenueRun({ node, profile })
    const { pool, assets } = await openPool(vault, run, weightsOf(5n, 3n, 2n))
    for (const [placeIn, placeOut] of [
      [0, 2],
      [2, 1],
      [1, 0],
    ] as const) {
      const [tokenIn, tokenOut] = [assets[placeIn]!, assets[placeOut]!]
      const { swaps, receipt } = await run.play(swapOf(pool, tokenIn, tokenOut, 0, 100n * unit))
      expect(swaps).toHaveLength(1)
      const [{ swap }] = swaps as [SwapEvent]
      const places = [placeIn, placeOut].toSorted()
      const moved = places.map((place) => netTransferTo(receipt, assets[place]!, vault.vault))
      expect([swap.amount0, swap.amount1]).toEqual(moved)
      expect(run.engine.pairState(swap.pairId).record).toMatchObject({
        venue: 'balancerV3',
        isTrusted: true,
      })
    }
    run.pipeline.close()
  })
})
