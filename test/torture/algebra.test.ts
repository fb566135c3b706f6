// Pools of the real Algebra contracts, from their logs to the engine, beside their own views and the tokens they moved.
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { type Abi, type Address, encodeFunctionData, type Hex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Artifact } from '../../packages/devnet/src/contracts/artifacts.ts'
import type { Call } from '../../packages/devnet/src/contracts/builder.ts'
import type { SwapEvent } from '../../packages/server/src/model/marketEvent.ts'
import { compileSolidity } from '../support/compileSolidity.ts'
import { type DevNode, startDevNode } from '../support/devNode.ts'
import {
  approval,
  balanceOf,
  deployArtifact,
  deployToken,
  type Receipt,
  read,
  transact,
} from '../support/simulate.ts'
import {
  openVenueRun,
  priceOfSqrtX96,
  sqrtPriceLimitX96,
  sqrtPriceX96Of,
} from '../support/venueRun.ts'

const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const priceStart = 2_000
const requirePackage = createRequire(import.meta.url)
const load = (name: string) =>
  requirePackage(`@cryptoalgebra/v1-core/artifacts/contracts/${name}.sol/${name}.json`) as Artifact
const [deployerOf, factoryOf, poolOf] = [
  'AlgebraPoolDeployer',
  'AlgebraFactory',
  'AlgebraPool',
].map(load) as [Artifact, Artifact, Artifact]
const callerOf = compileSolidity(resolve(import.meta.dirname, '../support/AlgebraCaller.sol')).get(
  'AlgebraCaller',
)!

let node: DevNode
let from: Address
let pool: Address
let caller: Address
let tokens: [Address, Address]
let run: ReturnType<typeof openVenueRun>
let profile: Parameters<typeof openVenueRun>[0]['profile']

const call = (to: Address, abi: Abi, functionName: string, args: readonly unknown[]): Call => ({
  ...{ from, to, data: encodeFunctionData({ abi, functionName, args }), gas: 12_000_000 },
})
const mint = (bottomTick: number, topTick: number, liquidity: bigint) =>
  call(caller, callerOf.abi, 'mint', [pool, bottomTick, topTick, liquidity])
const swap = (zeroToOne: boolean, amount: bigint) =>
  call(caller, callerOf.abi, 'swap', [pool, zeroToOne, amount, sqrtPriceLimitX96(zeroToOne)])
const stateOf = ({ engine }: typeof run) => engine.pairState(engine.findPair(pool)!)

beforeAll(async () => {
  node = await startDevNode()
  from = node.wallets.deployer
  const deployer = await deployArtifact(node, deployerOf, [])
  const factory = await deployArtifact(node, factoryOf, [deployer, from])
  caller = await deployArtifact(node, callerOf, [])
  const made = [await deployToken(node), await deployToken(node)].toSorted()
  tokens = made as [Address, Address]
  profile = {
    ...node.profile,
    stables: [tokens[1]],
    quotes: [tokens[1], node.profile.native.wrappedToken],
    venues: [{ address: factory, venue: 'algebra', amm: 'quickv3' }],
  }
  await transact(
    node,
    call(deployer, deployerOf.abi, 'setFactory', [factory]),
    ...tokens.map((token) => approval(token, from, caller)),
  )
  await transact(node, call(factory, factoryOf.abi, 'createPool', tokens))
  const found = await read<Address>(node, factory, factoryOf.abi, 'poolByPair', tokens)
  pool = found.toLowerCase() as Address
  run = openVenueRun({ node, profile })
  await run.play(call(pool, poolOf.abi, 'initialize', [sqrtPriceX96Of(priceStart)]))
  await run.play(mint(-887_220, 887_220, 10n ** 22n))
  await run.play(mint(72_000, 78_000, 5n * 10n ** 22n))
})

afterAll(async () => {
  run?.pipeline.close()
  await node?.stop()
})

/** Price by its own view, reserves by what the tokens say that it has. */
async function expectAsPool(of: typeof run): Promise<void> {
  const [sqrtPriceX96] = await read<readonly [bigint]>(node, pool, poolOf.abi, 'globalState')
  const state = stateOf(of)
  expect(state.priceRaw / priceOfSqrtX96(sqrtPriceX96)).toBeCloseTo(1, 12)
  expect([state.reserve0, state.reserve1]).toEqual([
    await balanceOf(node, tokens[0], pool),
    await balanceOf(node, tokens[1], pool),
  ])
}

/** What the pool got, less what it gave, by the transfers of the transaction. */
function movedIn({ logs }: Receipt, token: Address): bigint {
  let sum = 0n
  for (const { address, topics, data } of logs) {
    if (address.toLowerCase() !== token || topics[0] !== transferTopic) continue
    const isOf = (topic: Hex) => `0x${topic.slice(26)}` === pool
    if (isOf(topics[2]!)) sum += BigInt(data)
    if (isOf(topics[1]!)) sum -= BigInt(data)
  }
  return sum
}

test('default: a pool that its factory made, with price and reserves', async () => {
  await expectAsPool(run)
  const { record, price0Usd } = stateOf(run)
  expect(record).toMatchObject({ venue: 'algebra', amm: 'quickv3', isTrusted: true })
  expect(price0Usd).toBeCloseTo(priceStart, 6)
})

test('behavior: amounts are those of the tokens that moved, and price and reserves the pool’s after each trade', async () => {
  const unit = 10n ** 18n
  const amounts: [boolean, bigint][] = [
    [true, 3n * unit],
    [false, 10_000n * unit],
    [true, -5_000n * unit],
    [false, -4n * unit],
    // Out of the narrow position and back.
    [true, 2_000n * unit],
    [false, 3_000_000n * unit],
  ]
  const swaps: SwapEvent[] = []
  for (const [zeroToOne, amount] of amounts) {
    const { swaps: made, receipt } = await run.play(swap(zeroToOne, amount))
    expect(made).toHaveLength(1)
    const [{ swap: swapped }] = made as [SwapEvent]
    expect(swapped.wallet).toBe(from)
    expect([swapped.amount0, swapped.amount1]).toEqual(
      tokens.map((token) => movedIn(receipt, token)),
    )
    await expectAsPool(run)
    swaps.push(...made)
  }
  expect(swaps.map(({ isBuy }) => isBuy)).toEqual([false, true, false, true, false, true])
})

test('behavior: who starts later finds the pool by its trades, and what is taken out is gone', async () => {
  const { number } = await node.readHead()
  const later = openVenueRun({ node, profile, startBlock: number + 1 })
  await run.play(swap(true, 10n ** 18n))
  await later.follow()
  await expectAsPool(later)
  const [, , fee] = await read<readonly [bigint, number, number]>(
    node,
    pool,
    poolOf.abi,
    'globalState',
  )
  expect(stateOf(later).record).toMatchObject({ venue: 'algebra', isTrusted: true, feePpm: fee })
  const burn = call(pool, poolOf.abi, 'burn', [72_000, 78_000, 5n * 10n ** 22n])
  const most = 2n ** 128n - 1n
  const collect = call(pool, poolOf.abi, 'collect', [from, 72_000, 78_000, most, most])
  for (const step of [burn, collect]) {
    await run.play(step)
    await later.follow()
    for (const one of [run, later]) await expectAsPool(one)
  }
  later.pipeline.close()
})
