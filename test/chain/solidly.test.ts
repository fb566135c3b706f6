// Pairs of a real Solidly fork, volatile and stable, from their logs to the engine, compared with
// the pairs' own views.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Abi, Address } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { tokenAbi } from '../../packages/devnet/src/contracts/abi.ts'
import type { Artifact } from '../../packages/devnet/src/contracts/artifacts.ts'
import type { SwapEvent } from '../../packages/server/src/model/marketEvent.ts'
import { callOf } from '../support/concentratedPool.ts'
import { type DevNode, startDevNode } from '../support/devNode.ts'
import { deployArtifact, deployToken, read, transact } from '../support/simulate.ts'
import { openVenueRun } from '../support/venueRun.ts'

const fixture = resolve(import.meta.dirname, '../fixtures/solidly.json')
const { factory: factoryOf, pair: pairOf } = JSON.parse(readFileSync(fixture, 'utf8')) as {
  factory: Artifact
  pair: { abi: Abi }
}
/** Share of the input after the fee; this fork takes 0.05 %. */
const kept = 1 - 1 / 2_000

let node: DevNode
let from: Address
let tokens: [Address, Address]
let units: [bigint, bigint]
let factory: Address
let profile: Parameters<typeof openVenueRun>[0]['profile']

beforeAll(async () => {
  node = await startDevNode()
  from = node.wallets.deployer
  factory = await deployArtifact(node, factoryOf, [from])
  const coin = await deployToken(node)
  const stable = await deployToken(node, { symbol: 'USD', decimals: 6, supply: 10n ** 15n })
  tokens = [coin, stable].toSorted() as [Address, Address]
  units = tokens.map((token) => (token === coin ? 10n ** 18n : 10n ** 6n)) as [bigint, bigint]
  profile = {
    ...node.profile,
    stables: [stable],
    quotes: [stable, node.profile.native.wrappedToken],
    venues: [{ address: factory, venue: 'solidly', amm: 'thenav1' }],
  }
})

afterAll(async () => {
  await node?.stop()
})

const send = (side: 0 | 1, to: Address, amount: bigint) =>
  callOf(from, tokens[side], tokenAbi, 'transfer', [to, amount])

async function openPair(isStable: boolean) {
  const terms = [...tokens, isStable]
  await transact(node, callOf(from, factory, factoryOf.abi, 'createPair', terms))
  const found = await read<Address>(node, factory, factoryOf.abi, 'getPair', terms)
  const pair = found.toLowerCase() as Address
  const atPair = (name: string, args: readonly unknown[]) =>
    callOf(from, pair, pairOf.abi, name, args)
  const quote = (side: 0 | 1, amount: bigint) =>
    read<bigint>(node, pair, pairOf.abi, 'getAmountOut', [amount, tokens[side]])

  /**
   * Checks that reserves equal the pair's, and that the price equals a small quote of the pair. The
   * quote's own price impact is within the tolerance.
   */
  async function expectAsPair({ engine }: ReturnType<typeof openVenueRun>): Promise<void> {
    const state = engine.pairState(engine.findPair(pair)!)
    const [reserve0, reserve1] = await read<bigint[]>(node, pair, pairOf.abi, 'getReserves')
    expect([state.reserve0, state.reserve1]).toEqual([reserve0, reserve1])
    const given = Number(await quote(0, units[0])) / kept
    expect(state.priceRaw / (given / Number(units[0]))).toBeCloseTo(1, 4)
  }
  return { pair, atPair, quote, expectAsPair }
}

describe.each([
  { name: 'volatile', isStable: false },
  { name: 'stable', isStable: true },
])('$name', ({ isStable }) => {
  test('behavior: amounts, reserves and price are the pair’s own, also for an indexer that starts later', async () => {
    const { pair, atPair, quote, expectAsPair } = await openPair(isStable)
    const run = openVenueRun({ node, profile })
    await run.play(
      send(0, pair, 2_000_000n * units[0]),
      send(1, pair, 1_000_000n * units[1]),
      atPair('mint', [from]),
    )
    await expectAsPair(run)
    const { number } = await node.readHead()
    const later = openVenueRun({ node, profile, startBlock: number + 1 })

    for (const [side, amount] of [
      [0, 10_000n],
      [1, 250_000n],
      [0, 1n],
      [1, 3n],
    ] as const) {
      const amountIn = amount * units[side]
      const amountOut = await quote(side, amountIn)
      const outs = side === 0 ? [0n, amountOut] : [amountOut, 0n]
      const swap = atPair('swap', [...outs, from, '0x'])
      const { swaps } = await run.play(send(side, pair, amountIn), swap)
      expect(swaps).toHaveLength(1)
      const [{ swap: swapped }] = swaps as [SwapEvent]
      expect(swapped.wallet).toBe(from)
      expect([swapped.amount0, swapped.amount1]).toEqual(
        side === 0 ? [amountIn, -amountOut] : [-amountOut, amountIn],
      )
      await later.follow()
      for (const one of [run, later]) await expectAsPair(one)
    }

    const held = await read<bigint>(node, pair, tokenAbi as Abi, 'balanceOf', [from])
    const giveBack = callOf(from, pair, pairOf.abi, 'transfer', [pair, held / 2n])
    await run.play(giveBack, atPair('burn', [from]))
    await later.follow()
    for (const one of [run, later]) {
      await expectAsPair(one)
      const { record } = one.engine.pairState(one.engine.findPair(pair)!)
      expect(record).toMatchObject({ venue: 'solidly', amm: 'thenav1', isTrusted: true })
      one.pipeline.close()
    }
  })
})
