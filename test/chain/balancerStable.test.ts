// Stable pools of the real Balancer V2 vault: plain pools, and composable pools, which hold their
// own shares.
import type { Address, Hex } from 'viem'
import { zeroAddress } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SwapEvent } from '../../packages/server/src/model/marketEvent.ts'
import {
  type BalancerVault,
  deployBalancerVault,
  loadBalancer,
  loadCompiledBalancer,
} from '../support/balancerVault.ts'
import { callOf } from '../support/concentratedPool.ts'
import { type DevNode, startDevNode } from '../support/devNode.ts'
import { netTransferTo } from '../support/netTransferTo.ts'
import { deployArtifact } from '../support/simulate.ts'
import { openVenueRun } from '../support/venueRun.ts'

const plainOf = loadBalancer('20220609-stable-pool-v2', 'StablePoolFactory')
const composableOf = loadCompiledBalancer(
  '20230206-composable-stable-pool-v3',
  'ComposableStablePoolFactory',
)
const feesOf = loadBalancer(
  '20220725-protocol-fee-percentages-provider',
  'ProtocolFeePercentagesProvider',
)
const unit = 10n ** 18n
const feePercentage = 4n * 10n ** 14n
const amplification = 200n
type Run = ReturnType<typeof openVenueRun>

let node: DevNode
let vault: BalancerVault

beforeAll(async () => {
  node = await startDevNode()
  vault = await deployBalancerVault(node)
})

afterAll(async () => {
  await node?.stop()
})

async function openPlain(run: Run, count: number): Promise<Hex> {
  const { from, tokens } = vault
  const assets = tokens.slice(0, count)
  const factory = await deployArtifact(node, plainOf, [vault.vault])
  const terms = ['Pool', 'BPT', assets, amplification, feePercentage, from]
  const create = callOf(from, factory, plainOf.abi, 'create', terms)
  const { receipt } = await run.play({ ...create, gas: 9_000_000 })
  const { id } = await vault.poolOf(receipt, factory)
  const amounts = assets.map((_, at) => BigInt(at + 2) * 100_000n * unit)
  await run.play(vault.joinOf(id, assets, amounts))
  return id
}

/**
 * Creates a composable pool. The pool's own shares are one of its tokens and it holds nearly all of
 * them: a join buys shares from the pool.
 */
async function openComposable(run: Run, count: number): Promise<{ id: Hex; shares: Address }> {
  const { from, tokens } = vault
  const given = tokens.slice(0, count)
  const fees = await deployArtifact(node, feesOf, [vault.vault, unit / 2n, unit / 2n])
  const factory = await deployArtifact(node, composableOf, [vault.vault, fees, '', ''])
  const ofEach = <value>(value: value) => given.map(() => value)
  const lists = [ofEach(zeroAddress), ofEach(0n), ofEach(false)]
  const terms = ['Pool', 'BPT', given, amplification, ...lists, feePercentage, from]
  const create = callOf(from, factory, composableOf.abi, 'create', terms)
  const { receipt } = await run.play({ ...create, gas: 9_000_000 })
  const { id, pool } = await vault.poolOf(receipt, factory)
  const { assets } = await vault.poolTokens(id)
  const amounts = assets.map((asset) => (asset === pool ? 0n : 300_000n * unit))
  await run.play(vault.joinOf(id, assets, amounts))
  return { id, shares: pool }
}

type Trade = readonly [placeIn: number, placeOut: number, kind: 0 | 1, amount: bigint]

/**
 * Makes trades and compares two indexers with the vault after each: one that ran from the start,
 * and one that started later.
 */
async function expectTrades(run: Run, id: Hex, trades: readonly Trade[]): Promise<void> {
  const { number } = await node.readHead()
  const later = openVenueRun({ node, profile: vault.profile, startBlock: number + 1 })
  const { assets } = await vault.poolTokens(id)
  for (const [placeIn, placeOut, kind, amount] of trades) {
    const trade = vault.swapOf(id, assets[placeIn]!, assets[placeOut]!, kind, amount * unit)
    const { swaps, receipt } = await run.play(trade)
    const places = [placeIn, placeOut].toSorted() as [number, number]
    const moved = places.map((place) => netTransferTo(receipt, assets[place]!, vault.vault))
    const { balances } = await vault.poolTokens(id)
    for (const [one, seen] of [
      [run, swaps],
      [later, await later.follow()],
    ] as const) {
      expect(seen).toHaveLength(1)
      const [{ swap }] = seen as [SwapEvent]
      expect([swap.amount0, swap.amount1]).toEqual(moved)
      const state = one.engine.pairState(swap.pairId)
      expect([state.reserve0, state.reserve1]).toEqual(places.map((place) => balances[place]))
      expect(state.priceRaw).toBeCloseTo(Math.abs(Number(moved[1]) / Number(moved[0])), 12)
      expect(state.record).toMatchObject({ venue: 'balancerV2', isTrusted: true })
    }
  }
  later.pipeline.close()
}

describe.each([2, 3])('%i tokens', (count) => {
  const last = count - 1
  const trades: readonly Trade[] = [
    [0, last, 0, 5_000n],
    [last, 0, 0, 20_000n],
    [0, 1, 1, 1_000n],
    [last, last - 1, 1, 10n],
  ]

  test('behavior: amounts are those moved and reserves the vault’s, also for an indexer that starts later', async () => {
    const run = openVenueRun({ node, profile: vault.profile })
    await expectTrades(run, await openPlain(run, count), trades)
    run.pipeline.close()
  })

  test('behavior: a composable pool’s liquidity excludes its own shares', async () => {
    const run = openVenueRun({ node, profile: vault.profile })
    const { id, shares } = await openComposable(run, count)
    const { assets } = await vault.poolTokens(id)
    const own = assets.indexOf(shares)
    const others = assets.map((_, place) => place).filter((place) => place !== own)
    await expectTrades(run, id, [
      [others[0]!, others[1]!, 0, 700n],
      // A join or exit with a single token is a trade with the pool's shares.
      [others[1]!, own, 0, 5_000n],
      [own, others[0]!, 0, 2_000n],
      [others[1]!, others[0]!, 1, 30n],
    ])
    const { engine } = run
    const dollar = engine.findToken(vault.tokens[0]!)!
    const facts = engine.tokenFacts(engine.findToken(shares)!)
    expect(facts.price!.usd).toBeCloseTo(1, 2)
    // 2^111 shares at a dollar each is more money than exists.
    expect(facts).toMatchObject({ isImplausible: true, marketCapUsd: 0, fdvUsd: 0 })
    const poolsMax = 4
    expect(engine.tokenTvl(dollar).usd).toBeLessThan(poolsMax * count * 1_000_000)
    run.pipeline.close()
  })
})
