import { expect, test } from 'vitest'
import {
  createChain,
  eventsOfType,
  genesis,
  pair,
  profile,
  swap,
  sync,
  tokens,
} from '../../../../../test/support/marketChain.ts'
import type { FinishedEvent, FinishedSwap } from '../../model/finishedBlock.ts'
import { restoreEngine } from '../engine.ts'
import { windowsS } from '../marketReads.ts'

const swapTo = (reserve0: bigint, reserve1: bigint) =>
  ({ ...swap(1, [-1, 1], [1, 1]), reserve0, reserve1 }) as FinishedSwap

const sizes = [0n, 1n, 2n ** 52n, 2n ** 112n - 1n, 2n ** 128n, 2n ** 156n + 5n, 2n ** 256n - 1n]

test('behavior: reserves of any size are exact, and a revert restores the earlier ones', () => {
  const { engine, commit, revert } = createChain()
  commit(genesis)
  const reserves = () => {
    const { reserve0, reserve1 } = engine.pairState(1)
    return [reserve0, reserve1]
  }
  const before = reserves()
  for (const reserve0 of sizes)
    for (const reserve1 of sizes) {
      commit({ events: [swapTo(reserve0, reserve1)] })
      expect(reserves()).toEqual([reserve0, reserve1])
      revert()
      expect(reserves()).toEqual(before)
    }
})

test('behavior: a reserve above 156 bits shrinks and grows again, also across a snapshot', () => {
  const { engine, commit } = createChain()
  commit(genesis)
  const wide = 2n ** 255n + 3n
  for (const reserve0 of [wide, 7n, wide, 2n ** 130n]) {
    commit({ events: [swapTo(reserve0, 9n)] })
    expect(engine.pairState(1)).toMatchObject({ reserve0, reserve1: 9n, initReserve0: 2_000n })
    engine.apply({ type: 'finalize', ref: engine.head()! })
    const restored = restoreEngine({ profile }, engine.snapshot())
    expect(restored.pairState(1)).toEqual(engine.pairState(1))
  }
})

// Tests of pools with unknown reserves, because no node could report them: trades have their full
// value, and TVL is 0.

const dayWindow = windowsS.length - 1

/** A trade that reports the price but not the reserves. */
const tradeWithoutReserves = (
  pairId: number,
  amounts: readonly [number, number],
  priceRaw: number,
  wallet = 'alice',
) => ({ ...swap(pairId, amounts, [1, 1], wallet), reserve0: 0n, reserve1: 0n, priceRaw })

/**
 * Pools of the native token with a stablecoin, of a lower quote asset with native, and of token 4
 * with each of the three.
 */
const market = {
  tokens,
  pairs: [pair(0, 0, 1), pair(1, 3, 0), pair(2, 4, 1), pair(3, 4, 0), pair(4, 4, 3)],
}
const pools = [
  [0, [-10, 20_000], 2_000, [1_000, 2_000_000]],
  [1, [-100, 50], 0.5, [2_000, 1_000]],
  [2, [-100, 100_000], 1_000, [1_000, 1_000_000]],
  [3, [-100, 50], 0.5, [2_000, 1_000]],
  [4, [-100, 100], 1, [1_000, 1_000]],
] as const

function play(isTold: boolean) {
  const chain = createChain()
  const blocks = [chain.commit(market)]
  for (let block = 0; block < 3; block += 1)
    blocks.push(
      chain.commit({
        events: pools.map(
          ([id, amounts, price, reserves]): FinishedEvent =>
            isTold ? swap(id, amounts, reserves) : tradeWithoutReserves(id, amounts, price),
        ),
      }),
    )
  return { ...chain, trades: blocks.flatMap((events) => eventsOfType(events, 'swap')) }
}

test('default: without known reserves trades and volumes are the same, and TVL is 0', () => {
  const [told, blind] = [play(true), play(false)]
  const worthOf = ({ trades }: typeof told) =>
    trades.map(({ amountUsdE8, amountNativeRaw, isBuy, quote }) => {
      const { price0Usd, price1Usd, price0Native, price1Native } = quote
      return {
        amountUsdE8,
        amountNativeRaw,
        isBuy,
        price0Usd,
        price1Usd,
        price0Native,
        price1Native,
      }
    })
  expect(worthOf(blind)).toEqual(worthOf(told))
  expect(worthOf(blind).at(-1)).toMatchObject({ amountUsdE8: 100_000e8, amountNativeRaw: 50n })
  const nowS = told.engine.head()!.timeS
  for (const pairId of [0, 1, 2, 3, 4]) {
    const window = (engine: typeof told.engine) => engine.pairWindow(pairId, dayWindow, nowS)
    expect(window(blind.engine)).toEqual(window(told.engine))
    expect(blind.engine.pairTvlUsd(pairId)).toBe(0)
    expect(blind.engine.pairState(pairId)).toMatchObject({ reserve0: 0n, reserve1: 0n })
  }
  expect(blind.engine.tokenTvl(4).usd).toBe(0)
  expect(blind.engine.nativeUsd()).toBe(2_000)
  expect(blind.engine.tokenState(3).price).toMatchObject({ usd: 1_000, routeLiquidityUsd: 0 })
  expect(blind.engine.tokenState(4)).toMatchObject({ mainPairId: null, price: null })
})

test('behavior: a trade of native for a stablecoin has a value before any price is known', () => {
  const { trades } = play(false)
  expect(trades[0]).toMatchObject({ amountUsdE8: 20_000e8, amountNativeRaw: 10n })
})

test('behavior: a pool with known reserves outweighs all pools without', () => {
  const { engine, commit, revert } = play(false)
  commit({ pairs: [pair(5, 0, 2), pair(6, 3, 2)], events: [sync(5, 1_000, 1_900_000)] })
  expect(engine.nativeUsd()).toBe(1_900)
  for (let block = 0; block < 25; block += 1)
    commit({ events: [sync(6, 10, 9_000), tradeWithoutReserves(1, [-100, 50], 0.5)] }, 3)
  expect(engine.mainPairOf(3)).toBe(6)
  for (let block = 0; block < 26; block += 1) revert()
  expect(engine.nativeUsd()).toBe(2_000)
})

test('behavior: a pool that was emptied prices nothing', () => {
  const { engine, commit } = createChain()
  commit({ ...market, events: [sync(0, 1_000, 2_000_000)] })
  commit({ events: [swap(0, [-10, 20_000], [990, 2_020_000])] })
  commit({ events: [{ ...sync(0, 1, 1), reserve0: 0n, reserve1: 0n, priceRaw: 2_000 } as never] })
  expect(engine.nativeUsd()).toBeNull()
})

test('behavior: neither a pool without trades nor round trips of one wallet price the native coin', () => {
  const { engine, commit } = createChain()
  commit({
    ...market,
    events: [{ ...sync(0, 1, 1), reserve0: 0n, reserve1: 0n, priceRaw: 9 }] as never,
  })
  expect(engine.nativeUsd()).toBeNull()
  commit({
    events: [
      tradeWithoutReserves(0, [-10, 90], 9, 'mallory'),
      tradeWithoutReserves(0, [10, -90], 9, 'mallory'),
    ],
  })
  expect(engine.nativeUsd()).toBeNull()
  commit({ events: [tradeWithoutReserves(0, [-10, 20_000], 2_000)] })
  expect(engine.nativeUsd()).toBe(2_000)
})

test('behavior: an untrusted pool prices nothing', () => {
  const { engine, commit } = createChain()
  commit({ tokens, pairs: [pair(0, 0, 1, false), pair(1, 3, 1, false)] })
  commit({
    events: [
      tradeWithoutReserves(0, [-10, 20_000], 2_000),
      tradeWithoutReserves(1, [-10, 20_000], 2_000),
    ],
  })
  expect(engine.nativeUsd()).toBeNull()
  expect(engine.tokenState(3)).toMatchObject({ mainPairId: null, price: null })
})
