// Tests for a concentrated pool of any venue, whose real contracts trade on the local chain.
import { type Abi, type Address, encodeFunctionData } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Artifact } from '../../packages/devnet/src/contracts/artifacts.ts'
import type { Call } from '../../packages/devnet/src/contracts/builder.ts'
import type { SwapEvent } from '../../packages/server/src/model/marketEvent.ts'
import { type DevNode, startDevNode } from './devNode.ts'
import { netTransferTo } from './netTransferTo.ts'
import { approval, balanceOf, deployArtifact, deployToken, read, transact } from './simulate.ts'
import { openVenueRun, priceOfSqrtX96, sqrtPriceLimitX96, sqrtPriceX96Of } from './venueRun.ts'

export type ConcentratedVenue = {
  venue: string
  amm: string
  poolAbi: Abi
  /** The view function whose first result is the square root of the price. */
  stateView: string
  /** A contract that mints and swaps for its caller. */
  caller: Artifact
  /** The lowest and highest tick of a position. */
  widest: readonly [number, number]
  /** Creates a pool of the two tokens through its factory. */
  makePool(
    node: DevNode,
    tokens: readonly [Address, Address],
  ): Promise<{ factory: Address; pool: Address }>
  feePpmOf(node: DevNode, pool: Address): Promise<number>
}

const priceStart = 2_000
const narrow = [72_000, 78_000] as const
const narrowLiquidity = 5n * 10n ** 22n
const unit = 10n ** 18n
const trades: readonly (readonly [zeroForOne: boolean, amount: bigint])[] = [
  [true, 3n * unit],
  [false, 10_000n * unit],
  [true, -5_000n * unit],
  [false, -4n * unit],
  // Moves the price out of the narrow position and back.
  [true, 2_000n * unit],
  [false, 3_000_000n * unit],
]

/** A call of a contract, with enough gas for any test. */
export const callOf = (
  from: Address,
  to: Address,
  abi: Abi,
  functionName: string,
  args: readonly unknown[],
): Call => {
  const data = encodeFunctionData({ abi, functionName, args })
  return { from, to, data, gas: 12_000_000 }
}

/** Opens a pool with two positions, and all stages reading its chain. */
async function openWorld(options: ConcentratedVenue) {
  const { venue, amm, poolAbi, stateView } = options
  const node = await startDevNode()
  const from = node.wallets.deployer
  const caller = await deployArtifact(node, options.caller, [])
  const made = [await deployToken(node), await deployToken(node)].toSorted()
  const tokens = made as [Address, Address]
  const { factory, pool: address } = await options.makePool(node, tokens)
  const pool = address.toLowerCase() as Address
  const profile = {
    ...node.profile,
    stables: [tokens[1]],
    quotes: [tokens[1], node.profile.native.wrappedToken],
    venues: [{ address: factory, venue, amm }],
  }
  await transact(node, ...tokens.map((token) => approval(token, from, caller)))
  const run = openVenueRun({ node, profile })
  type Run = typeof run
  const stateOf = ({ engine }: Run) => engine.pairState(engine.findPair(pool)!)

  const world = {
    node,
    from,
    pool,
    tokens,
    run,
    stateOf,
    startLater: (startBlock: number) => openVenueRun({ node, profile, startBlock }),
    atPool: (name: string, args: readonly unknown[]) => callOf(from, pool, poolAbi, name, args),
    mint: (ticks: readonly [number, number], liquidity: bigint) =>
      callOf(from, caller, options.caller.abi, 'mint', [pool, ...ticks, liquidity]),
    swap(zeroForOne: boolean, amount: bigint) {
      const args = [pool, zeroForOne, amount, sqrtPriceLimitX96(zeroForOne)]
      return callOf(from, caller, options.caller.abi, 'swap', args)
    },
    /** Checks the price against the pool's view, and reserves against its token balances. */
    async expectAsPool(of: Run): Promise<void> {
      const [sqrtPriceX96] = await read<readonly [bigint]>(node, pool, poolAbi, stateView)
      const state = stateOf(of)
      expect(state.priceRaw / priceOfSqrtX96(sqrtPriceX96)).toBeCloseTo(1, 12)
      expect([state.reserve0, state.reserve1]).toEqual([
        await balanceOf(node, tokens[0], pool),
        await balanceOf(node, tokens[1], pool),
      ])
    },
  }
  await run.play(world.atPool('initialize', [sqrtPriceX96Of(priceStart)]))
  await run.play(world.mint(options.widest, 10n ** 22n))
  await run.play(world.mint(narrow, narrowLiquidity))
  return world
}

/**
 * Compares the engine, fed from the venue's logs, with the contracts' own views and the tokens they
 * moved.
 */
export function testConcentratedPool(options: ConcentratedVenue): void {
  const { venue, amm } = options
  let world: Awaited<ReturnType<typeof openWorld>>

  beforeAll(async () => {
    world = await openWorld(options)
  })

  afterAll(async () => {
    world?.run.pipeline.close()
    await world?.node.stop()
  })

  test('default: a factory’s pool has a price and reserves', async () => {
    const { run, expectAsPool, stateOf } = world
    await expectAsPool(run)
    const { record, price0Usd } = stateOf(run)
    expect(record).toMatchObject({ venue, amm, isTrusted: true })
    expect(price0Usd).toBeCloseTo(priceStart, 6)
  })

  test('behavior: amounts are those moved, and price and reserves are the pool’s after each trade', async () => {
    const { run, swap, expectAsPool, from, tokens, pool } = world
    const swaps: SwapEvent[] = []
    for (const [zeroForOne, amount] of trades) {
      const { swaps: made, receipt } = await run.play(swap(zeroForOne, amount))
      expect(made).toHaveLength(1)
      const [{ swap: swapped }] = made as [SwapEvent]
      expect(swapped.wallet).toBe(from)
      expect([swapped.amount0, swapped.amount1]).toEqual(
        tokens.map((token) => netTransferTo(receipt, token, pool)),
      )
      await expectAsPool(run)
      swaps.push(...made)
    }
    expect(swaps.map(({ isBuy }) => isBuy)).toEqual(trades.map(([zeroForOne]) => !zeroForOne))
  })

  test('behavior: an indexer that starts later finds the pool by its trades, and removed liquidity is gone', async () => {
    const { node, run, swap, expectAsPool, atPool, stateOf, from, pool } = world
    const { number } = await node.readHead()
    const later = world.startLater(number + 1)
    await run.play(swap(true, unit))
    await later.follow()
    await expectAsPool(later)
    const feePpm = await options.feePpmOf(node, pool)
    expect(stateOf(later).record).toMatchObject({ venue, isTrusted: true, feePpm })
    const most = 2n ** 128n - 1n
    const burn = atPool('burn', [...narrow, narrowLiquidity])
    const collect = atPool('collect', [from, ...narrow, most, most])
    for (const step of [burn, collect]) {
      await run.play(step)
      await later.follow()
      for (const one of [run, later]) await expectAsPool(one)
    }
    later.pipeline.close()
  })
}
