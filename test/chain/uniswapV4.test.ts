// Native-coin pools of the real Uniswap V4 manager, from its logs to the engine, compared with the
// manager's own state.
import type { Address } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Call } from '../../packages/devnet/src/contracts/builder.ts'
import { zeroAddress } from '../../packages/devnet/src/profile.ts'
import type { Engine } from '../../packages/server/src/engine/engine.ts'
import type { SwapEvent } from '../../packages/server/src/model/marketEvent.ts'
import { type DevNode, startDevNode } from '../support/devNode.ts'
import { addLiquidity, deployToken, pairOf, swap } from '../support/simulate.ts'
import { deployUniswapV4, type PoolKey, type Position, poolIdOf } from '../support/uniswapV4.ts'
import { openVenueRun, priceOfSqrtX96, sqrtPriceX96Of } from '../support/venueRun.ts'

const ether = 10n ** 18n
const dayWindow = 5
const q96 = 2 ** 96

let node: DevNode
let v4: Awaited<ReturnType<typeof deployUniswapV4>>
let run: ReturnType<typeof openVenueRun>
let engine: Engine
let trader: Address
let usdcPool: PoolKey
let tokenPool: PoolKey
let token: Address
const positions = new Map<PoolKey, Position[]>()
const swaps: SwapEvent[] = []

async function play(...calls: Call[]): Promise<SwapEvent[]> {
  const { swaps: made } = await run.play(...calls)
  swaps.push(...made)
  return made
}

async function provide(key: PoolKey, position: Position, value: bigint): Promise<void> {
  await play(v4.modifyLiquidity(key, position, value))
  positions.set(key, [...(positions.get(key) ?? []), position])
}

const pairIdOf = (address: string) => engine.findPair(address)!
const stateOf = (key: PoolKey) => engine.pairState(pairIdOf(poolIdOf(key)))

/**
 * Token amounts of the positions at a price, computed from the definition of concentrated
 * liquidity.
 */
function principalOf(key: PoolKey, sqrtPriceX96: bigint): [number, number] {
  const sqrtPrice = Number(sqrtPriceX96) / q96
  let [amount0, amount1] = [0, 0]
  for (const { tickLower, tickUpper, liquidityDelta } of positions.get(key)!) {
    const [lower, upper] = [1.0001 ** (tickLower / 2), 1.0001 ** (tickUpper / 2)]
    const at = Math.min(Math.max(sqrtPrice, lower), upper)
    amount0 += Number(liquidityDelta) * (1 / at - 1 / upper)
    amount1 += Number(liquidityDelta) * (at - lower)
  }
  return [amount0, amount1]
}

/** Checks that price and reserves of both pools equal the manager's current ones. */
async function expectAsManager(): Promise<void> {
  for (const key of [usdcPool, tokenPool]) {
    const { sqrtPriceX96, liquidity } = await v4.readPool(key)
    const state = stateOf(key)
    const price = priceOfSqrtX96(sqrtPriceX96)
    expect(state.priceRaw / price).toBeCloseTo(1, 12)
    const [amount0, amount1] = principalOf(key, sqrtPriceX96)
    expect(Number(state.reserve0) / amount0).toBeCloseTo(1, 9)
    expect(Number(state.reserve1) / amount1).toBeCloseTo(1, 9)
    const inRange = positions.get(key)!.filter(({ tickLower, tickUpper }) => {
      const tick = Math.log(price) / Math.log(1.0001)
      return tickLower <= tick && tick < tickUpper
    })
    expect(inRange.reduce((sum, { liquidityDelta }) => sum + liquidityDelta, 0n)).toBe(liquidity)
  }
}

beforeAll(async () => {
  node = await startDevNode()
  const { deployer } = node.wallets
  trader = deployer
  const { usdc } = node.deployment
  v4 = await deployUniswapV4(node, trader)
  token = await deployToken(node, { symbol: 'FOUR' })
  usdcPool = { currency0: zeroAddress, currency1: usdc, fee: 500, tickSpacing: 10 }
  tokenPool = { currency0: zeroAddress, currency1: token, fee: 3_000, tickSpacing: 60 }
  run = openVenueRun({ node, profile: v4.profile })
  engine = run.engine
  await play(...v4.approvals(usdc), ...v4.approvals(token))
  await play(v4.initialize(usdcPool, sqrtPriceX96Of(2_500e6 / 1e18)))
  await play(v4.initialize(tokenPool, sqrtPriceX96Of(1_000)))
  const everywhere = (tick: number) => ({ tickLower: -tick, tickUpper: tick })
  await provide(usdcPool, { ...everywhere(887_270), liquidityDelta: 5n * 10n ** 15n }, 300n * ether)
  const narrow = { tickLower: -200_000, tickUpper: -196_000, liquidityDelta: 3n * 10n ** 16n }
  await provide(usdcPool, narrow, 300n * ether)
  const wide = { ...everywhere(887_220), liquidityDelta: 1_500n * ether }
  await provide(tokenPool, wide, 300n * ether)
  // The wrapped coin trades in a separate pool.
  const { weth } = node.deployment
  const amounts = { base: 50n * ether, quote: 125_000n * 10n ** 6n }
  await addLiquidity(node, { base: weth, quote: usdc }, amounts)
  await run.follow()
})

afterAll(async () => {
  run?.pipeline.close()
  await node?.stop()
})

test('default: the native coin has a record and a price, and is worth 1 native', async () => {
  await expectAsManager()
  const coinId = engine.findToken(zeroAddress)!
  const { record, price, mainPairId, supply } = engine.tokenState(coinId)
  expect(record).toMatchObject({ symbol: 'ETH', name: 'ETH', decimals: 18, isUnreadable: false })
  expect(price!.native).toBe(1)
  expect(price!.usd).toBe(engine.nativeUsd())
  expect(price!.usd).toBeCloseTo(2_500, 0)
  expect(mainPairId).toBe(pairIdOf(poolIdOf(usdcPool)))
  // Holders of the native coin are unknown: no transfer event reports them.
  expect(supply?.isComplete ?? false).toBe(false)
  expect(run.pipeline.resolver.stats()).toMatchObject({ openScanCount: 0, lateTokenCount: 0 })
  const state = stateOf(usdcPool)
  expect(state.record).toMatchObject({ isTrusted: true, amm: 'uniswapv4', feePpm: 500 })
  expect(state).toMatchObject({ targetTokenId: coinId, price0Native: 1, price1Usd: 1 })
  expect(state.tvlUsd).toBeGreaterThan(200_000)
})

test('behavior: trades have the value they moved, and the price is the manager’s after each', async () => {
  const coinId = engine.findToken(zeroAddress)!
  const amount = 1_234_567_890_123_456_789n
  const steps: [PoolKey, boolean, bigint][] = [
    [usdcPool, true, -amount],
    [usdcPool, false, amount],
    [usdcPool, false, -30_000n * 10n ** 6n],
    // Moves the price out of the narrow position and back.
    [usdcPool, true, -200n * ether],
    [usdcPool, false, 150n * ether],
    [tokenPool, true, -3n * ether],
    [tokenPool, false, -2_500n * ether],
    [tokenPool, true, 700n * ether],
  ]
  for (const [key, zeroForOne, specified] of steps) {
    const value = zeroForOne ? 400n * ether : 0n
    const made = await play(v4.swap(key, zeroForOne, specified, value))
    expect(made).toHaveLength(1)
    const [event] = made
    const { amount0, amount1, wallet } = event!.swap
    const native = amount0 < 0n ? -amount0 : amount0
    const other = amount1 < 0n ? -amount1 : amount1
    expect(wallet).toBe(trader)
    expect([amount0, -amount0, amount1, -amount1]).toContain(-specified)
    expect(event!.amountNativeRaw).toBe(native)
    expect(event!.quote.price0Native).toBe(1)
    if (key === usdcPool) expect(BigInt(event!.amountUsdE8)).toBe(other * 100n)
    await expectAsManager()
  }
  const tokenState = engine.tokenState(engine.findToken(token)!)
  expect(tokenState.mainPairId).toBe(pairIdOf(poolIdOf(tokenPool)))
  const { price0Usd, price1Native, targetTokenId } = stateOf(tokenPool)
  expect(targetTokenId).toBe(tokenState.record.id)
  expect(price0Usd).toBe(engine.nativeUsd())
  expect(price1Native).toBeCloseTo(1 / stateOf(tokenPool).priceRaw, 12)
  expect(coinId).not.toBe(engine.findToken(node.deployment.weth))
})

test('behavior: volumes of the native and the wrapped coin are never added up', async () => {
  const { weth, usdc } = node.deployment
  const pool = { venue: 'v2', base: weth, quote: usdc, fee: 3_000 } as const
  await swap(node, pool, trader, usdc, 5_000n * 10n ** 6n)
  swaps.push(...(await run.follow()))
  const wrappedPairId = pairIdOf(await pairOf(node, weth, usdc))
  const nowS = engine.head()!.timeS
  const volumeOf = (tokenId: number) => {
    const { buyVolumeUsdE8, sellVolumeUsdE8 } = engine.tokenTrading(tokenId, dayWindow, nowS)
    return buyVolumeUsdE8 + sellVolumeUsdE8
  }
  const tradedOn = (isMeant: (pairId: number) => boolean) =>
    swaps
      .filter((event) => isMeant(event.swap.pairId))
      .reduce((sum, { amountUsdE8 }) => sum + BigInt(amountUsdE8), 0n)
  expect(volumeOf(engine.findToken(weth)!)).toBe(tradedOn((id) => id === wrappedPairId))
  expect(volumeOf(engine.findToken(zeroAddress)!)).toBe(tradedOn((id) => id !== wrappedPairId))
  // The wrapped coin's price is that of its main pair; trade amounts are valued at the mean of both
  // pools.
  const { routePairIds } = engine.tokenState(engine.findToken(weth)!).price!
  expect(routePairIds).toEqual([wrappedPairId])
  const prices = [wrappedPairId, pairIdOf(poolIdOf(usdcPool))].map((id) => engine.pairPrice(id).usd)
  expect(engine.nativeUsd()).toBeGreaterThan(Math.min(...prices))
  expect(engine.nativeUsd()).toBeLessThan(Math.max(...prices))
})

test('behavior: fees and donations are not reserves, and a restart changes nothing', async () => {
  await play(v4.donate(usdcPool, 10n * ether, 20_000n * 10n ** 6n))
  await expectAsManager()
  run.pipeline.restart()
  const position = { tickLower: -201_000, tickUpper: -195_000, liquidityDelta: 10n ** 16n }
  await provide(usdcPool, position, 300n * ether)
  await expectAsManager()
  // Removes all liquidity and fees: only rounding remainders stay.
  for (const [key, all] of positions)
    for (const { liquidityDelta, ...ticks } of all)
      await play(v4.modifyLiquidity(key, { ...ticks, liquidityDelta: -liquidityDelta }))
  for (const key of positions.keys()) {
    const { reserve0, reserve1 } = stateOf(key)
    expect(reserve0).toBeGreaterThanOrEqual(0n)
    expect(reserve1).toBeGreaterThanOrEqual(0n)
    expect(Number(reserve0)).toBeLessThan(1_000)
    expect(Number(reserve1)).toBeLessThan(1_000)
  }
})
