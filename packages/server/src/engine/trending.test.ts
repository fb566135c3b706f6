import { expect, test } from 'vitest'
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
