import { expect, test } from 'vitest'
import {
  createChain,
  genesis,
  pair,
  swap,
  sync,
  token,
} from '../../../../../test/support/marketChain.ts'
import { marketLimitDefaults } from '../marketLimits.ts'

const many = 3 * marketLimitDefaults.tokenPairsReadMax

/** Creates a market with many pairs from id 2 on. */
function createMany(pairOf: (id: number) => ReturnType<typeof pair>) {
  const chain = createChain()
  chain.commit(genesis)
  const ids = Array.from({ length: many }, (_, index) => index + 2)
  chain.commit({
    tokens: ids.map((id) => token(id + 4)),
    pairs: ids.map(pairOf),
    events: ids.map((id) => sync(id, 1_000, 100 + id)),
  })
  return chain
}

test('behavior: a quote token with thousands of pairs lists the deepest, including the newest', () => {
  const { engine, commit, revert } = createMany((id) => pair(id, id + 4, 0))
  const newest = many + 1
  // The main pair of the native token is its stablecoin pair. Half of the value of pair 1 is 1,000
  // native coins.
  expect(engine.tokenPairs(0, 5)).toEqual([0, newest, newest - 1, newest - 2, newest - 3])
  const nativeUsd = 2_000
  const pairsUsd = () =>
    Array.from({ length: engine.pairCount() }, (_, id) => engine.pairTvlUsd(id)).reduce(
      (sum, usd) => sum + usd,
      0,
    )
  expect(engine.tokenTvl(0).usd).toBeCloseTo(pairsUsd(), 3)
  expect(engine.tokenTvl(0).usd).toBeGreaterThan(many * 2 * 100 * nativeUsd)
  commit({ events: [sync(7, 1_000, 90_000)] })
  expect(engine.tokenPairs(0, 3)).toEqual([0, 7, newest])
  expect(engine.tokenTvl(0).usd).toBeCloseTo(pairsUsd(), 3)
  revert()
  expect(engine.tokenPairs(0, 3)).toEqual([0, newest, newest - 1])
  revert()
  expect(engine.tokenPairs(0, 3)).toEqual([0, 1])
})

test('behavior: a target with thousands of pairs lists the deepest in USD, whatever their quotes', () => {
  const { engine, commit } = createMany((id) => pair(id, 4, id % 2 === 0 ? 1 : 0))
  const newestNative = many + 1
  const [main, ...others] = engine.tokenPairs(4, 3)
  expect(main).toBe(engine.mainPairOf(4))
  expect(others).toEqual([newestNative, newestNative - 2])
  // To be the deepest, a pair in USD needs two thousand times the reserve.
  commit({ events: [sync(newestNative - 1, 1_000, 8_000_000)] })
  expect(engine.tokenPairs(4, 2)[1]).toBe(newestNative - 1)
  const ids = Array.from({ length: many + 1 }, (_, index) => index + 1)
  const sumUsd = ids.reduce((sum, id) => sum + engine.pairTvlUsd(id), 0)
  expect(engine.tokenTvl(4).usd).toBeCloseTo(sumUsd, 3)
})

test('behavior: one pool of thousands whose reserves are unknown makes the TVL of both its tokens incomplete', () => {
  const { engine, commit, revert } = createMany((id) => pair(id, id + 4, 0))
  const whole = engine.tokenTvl(0)
  expect(whole.isKnown).toBe(true)
  const id = many + 2
  const late = { ...pair(id, 4, 0), createdAtS: 0 }
  const traded = { ...swap(id, [-100, 50], [1, 1], 'alice'), reserve0: 0n, reserve1: 0n }
  commit({ pairs: [late], events: [traded] })
  expect(engine.tokenTvl(0)).toEqual({ usd: whole.usd, isKnown: false })
  expect(engine.tokenTvl(4).isKnown).toBe(false)
  expect(engine.tokenPairs(0, 2 * many)).toContain(id)
  commit({ events: [sync(id, 1_000, 500)] })
  expect(engine.tokenTvl(0).usd).toBeGreaterThan(whole.usd)
  expect([engine.tokenTvl(0).isKnown, engine.tokenTvl(4).isKnown]).toEqual([true, true])
  revert()
  expect(engine.tokenTvl(0).isKnown).toBe(false)
  revert()
  expect(engine.tokenTvl(0)).toEqual(whole)
})

test('args: max limits the pairs of a read', () => {
  const { engine } = createMany((id) => pair(id, id + 4, 0, id % 2 === 0))
  // Half of the pairs are untrusted and come last, oldest first; only the oldest of these are
  // listed.
  const trusted = many / 2
  const untrusted = marketLimitDefaults.untrustedPairsMax / 2 - 1
  const { pairIds } = engine.tokenState(0)
  expect(pairIds).toHaveLength(marketLimitDefaults.tokenPairsReadMax)
  const all = engine.tokenPairs(0, 2 * many)
  expect(new Set(all).size).toBe(trusted + untrusted + 2)
  expect(all.slice(0, pairIds.length)).toEqual(pairIds)
  expect(all.slice(trusted + 2, trusted + 5)).toEqual([3, 5, 7])
})
