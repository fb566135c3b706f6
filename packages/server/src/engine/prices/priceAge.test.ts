import { expect, test } from 'vitest'
import {
  createChain,
  genesis,
  pair,
  sync,
  tokens,
} from '../../../../../test/support/marketChain.ts'

const day = 86_400

test('behavior: a price is as old as the oldest step of its route', () => {
  const { engine, commit } = createChain()
  commit(genesis)
  const startS = engine.head()!.timeS
  commit({ events: [sync(0, 1_000, 2_100_000)] }, 5 * day)
  expect(engine.tokenState(0).price?.atS).toBe(startS + 5 * day)
  expect(engine.tokenState(4).price?.atS).toBe(startS)
  commit({ events: [sync(1, 2_000, 1_000)] }, day)
  expect(engine.tokenState(4).price?.atS).toBe(startS + 5 * day)
  expect(engine.tokenFacts(4).price?.atS).toBe(startS + 5 * day)
})

test('behavior: a pool event with the same price renews its age', () => {
  const { engine, commit } = createChain()
  commit(genesis)
  commit({ events: [sync(0, 1_000, 2_000_000)] }, day)
  expect(engine.nativeAtS()).toBe(engine.head()!.timeS)
})

test('behavior: pools that price the native coin together are as old as the newest event', () => {
  const { engine, commit } = createChain()
  commit({ ...genesis, pairs: [...genesis.pairs, pair(2, 2, 0)] })
  const startS = engine.head()!.timeS
  // A pool below the minimum liquidity does not count, neither in the price nor in its age.
  commit({ events: [sync(2, 10, 1)] }, day)
  expect(engine.nativeAtS()).toBe(startS)
  commit({ events: [sync(2, 2_000_000, 1_000)] }, day)
  expect(engine.nativeAtS()).toBe(startS + 2 * day)
})

test('behavior: a stablecoin is as new as the head', () => {
  const { engine, commit, pass } = createChain()
  commit(genesis)
  commit({ pairs: [pair(2, 4, 1)], events: [sync(2, 2_000, 9_000_000)] }, day)
  commit({}, day)
  expect(engine.tokenState(1).price?.atS).toBe(engine.head()!.timeS)
  // With a stablecoin pair as main pair, the route has only this pair.
  for (let left = 20; left > 0; left -= 1) pass()
  expect(engine.tokenState(4)).toMatchObject({
    mainPairId: 2,
    price: { atS: engine.pairState(2).updatedAtS, routePairIds: [2] },
  })
})

test("behavior: a price from another chain has that chain's time, at most the head's", () => {
  const { engine, commit, revert } = createChain()
  const fact = (atS: number) => ({ nativeUsd: { usd: 150, atS } })
  commit({ tokens, pairs: [pair(0, 4, 0)], events: [sync(0, 10, 10)], ...fact(1_699_999_000) })
  const startS = engine.head()!.timeS
  expect(engine.tokenState(4).price?.atS).toBe(1_699_999_000)
  commit({ events: [sync(0, 10, 11)] }, 3 * day)
  expect(engine.tokenState(4).price?.atS).toBe(1_699_999_000)
  // The other chain reports the same price again, which makes it newer.
  commit({ events: [sync(0, 10, 12)], ...fact(startS + 3 * day + 5) }, day)
  expect(engine.nativeAtS()).toBe(startS + 3 * day + 5)
  expect(engine.tokenState(4).price?.atS).toBe(startS + 3 * day + 5)
  revert()
  expect(engine.nativeAtS()).toBe(1_699_999_000)
  commit({ events: [sync(0, 10, 12)], ...fact(startS + 99 * day) }, 4 * day)
  expect(engine.nativeAtS()).toBe(engine.head()!.timeS)
})

test('behavior: the native coin priced in itself has no age', () => {
  const { engine, commit } = createChain()
  commit({ tokens })
  commit({}, day)
  expect(engine.nativeAtS()).toBe(0)
  const { timeS } = engine.head()!
  expect(engine.tokenState(0).price).toMatchObject({ usd: 0, native: 1, atS: timeS })
})
