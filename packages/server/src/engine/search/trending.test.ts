import { expect, test } from 'vitest'
import { createChain, genesis, pair, swap } from '../../../../../test/support/marketChain.ts'
import { trendingScore } from './trending.ts'

const facts = { organicUsd: 100_000, makers: 200, changePercent: 10, ageS: 86_400 }

test('default', () => {
  expect(trendingScore(facts)).toBeCloseTo(16.61 * 7.651 * 1.05 * 1.5, 0)
})

test('behavior: more volume, wallets and rise help; age and fall do not', () => {
  const score = trendingScore(facts)
  expect(trendingScore({ ...facts, organicUsd: 200_000 })).toBeGreaterThan(score)
  expect(trendingScore({ ...facts, makers: 300 })).toBeGreaterThan(score)
  expect(trendingScore({ ...facts, changePercent: 40 })).toBeGreaterThan(score)
  expect(trendingScore({ ...facts, changePercent: -40 })).toBeLessThan(score)
  expect(trendingScore({ ...facts, ageS: 30 * 86_400 })).toBeLessThan(score)
})

test('behavior: nothing organic, no score', () => {
  expect(trendingScore({ ...facts, organicUsd: 0 })).toBe(0)
  expect(trendingScore({ ...facts, makers: 0 })).toBe(0)
})

test('behavior: a wallet on several pairs counts once', () => {
  const { engine, commit } = createChain()
  commit(genesis)
  // Token 4 has one wallet on three pairs, token 5 two of them on one; both have the same volume and price.
  commit({
    pairs: [pair(2, 4, 0), pair(3, 4, 0), pair(4, 5, 0)],
    events: [
      ...[1, 2, 3].map((pairId) => swap(pairId, [-8, 4], [2_000, 1_000], 'alice')),
      ...['bob', 'carol'].map((wallet) => swap(4, [-12, 6], [2_000, 1_000], wallet)),
    ],
  })
  expect(engine.trending(engine.head()!.timeS, 0, 10)).toEqual([5, 4])
})
