import { expect, test } from 'vitest'
import {
  createChain,
  genesis,
  pair,
  swap,
  sync,
  tokens,
} from '../../../../../test/support/marketChain.ts'
import { trendingOf } from '../../../../../test/support/trendingOf.ts'
import { trendingInterest, trendingScore } from './tokenMeasures.ts'

const facts = { organicUsd: 100_000, makers: 200, changePercent: 10, ageS: 86_400 }

const scoreOf = ({ organicUsd, makers, changePercent, ageS }: typeof facts) =>
  trendingScore(
    trendingInterest({ organicUsd, makers }, changePercent),
    1_000_000,
    1_000_000 + ageS,
  )

test('default: the score is the documented product', () => {
  expect(scoreOf(facts)).toBeCloseTo(16.61 * 7.651 * 1.05 * 1.5, 0)
})

test('behavior: the score grows with volume, wallets and rise, and shrinks with age and fall', () => {
  const score = scoreOf(facts)
  expect(scoreOf({ ...facts, organicUsd: 200_000 })).toBeGreaterThan(score)
  expect(scoreOf({ ...facts, makers: 300 })).toBeGreaterThan(score)
  expect(scoreOf({ ...facts, changePercent: 40 })).toBeGreaterThan(score)
  expect(scoreOf({ ...facts, changePercent: -40 })).toBeLessThan(score)
  expect(scoreOf({ ...facts, ageS: 30 * 86_400 })).toBeLessThan(score)
})

test('behavior: without organic volume the score is 0, without makers NaN', () => {
  expect(scoreOf({ ...facts, organicUsd: 0 })).toBe(0)
  expect(scoreOf({ ...facts, makers: 0 })).toBeNaN()
})

test('behavior: a wallet trading several pairs counts once', () => {
  const { engine, commit } = createChain()
  commit(genesis)
  // Token 4 has one wallet trading three pairs, token 5 two wallets on one pair. Both have the same
  // volume and price.
  commit({
    pairs: [pair(2, 4, 0), pair(3, 4, 0), pair(4, 5, 0)],
    events: [
      ...[1, 2, 3].map((pairId) => swap(pairId, [-8, 4], [2_000, 1_000], 'alice')),
      ...['bob', 'carol'].map((wallet) => swap(4, [-12, 6], [2_000, 1_000], wallet)),
    ],
  })
  expect(trendingOf(engine)).toEqual([5, 4])
})

test('behavior: untrusted pairs are left out, and wash trades do not count', () => {
  const { engine, commit } = createChain()
  commit({
    tokens,
    pairs: [pair(0, 0, 1), pair(1, 4, 0), pair(2, 5, 0), pair(3, 3, 0, false)],
    events: [sync(0, 1_000, 2_000_000)],
  })
  commit({
    events: [
      swap(1, [-100, 60], [1_900, 1_060]),
      swap(1, [-100, 60], [1_800, 1_120], 'bob'),
      swap(2, [-500, 300], [1_500, 1_300]),
      swap(2, [500, -300], [2_000, 1_000]),
      swap(3, [-500, 300], [1_500, 1_300], 'carol'),
    ],
  })
  expect(trendingOf(engine)).toEqual([4, 5])
})
