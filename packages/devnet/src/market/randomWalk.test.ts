import { expect, test } from 'vitest'
import { randomWalkAt, walkMax } from './randomWalk.ts'

const dayS = 86_400
const seeds = Array.from({ length: 400 }, (_, i) => `walk ${i}`)

/** Mean of a function over the walks of many seeds. */
function meanOf(measure: (at: (ageS: number) => number) => number): number {
  const values = seeds.map((seed) => measure((ageS) => randomWalkAt(seed, ageS)))
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

test('default: the same seed and time give the same place, another seed another', () => {
  expect(randomWalkAt('one', 600)).toBe(randomWalkAt('one', 600))
  expect(randomWalkAt('one', 600)).toBe(randomWalkAt('one', 609))
  expect(randomWalkAt('one', 600)).not.toBe(randomWalkAt('two', 600))
  expect(randomWalkAt('one', 0)).toBe(0)
})

test('behavior: it stays within its bounds for a day, and comes near both', () => {
  const places = seeds.slice(0, 20).flatMap((seed) => {
    return Array.from({ length: 288 }, (_, i) => randomWalkAt(seed, (i * dayS) / 288))
  })
  expect(Math.max(...places)).toBeLessThanOrEqual(walkMax)
  expect(Math.min(...places)).toBeGreaterThanOrEqual(-walkMax)
  expect(Math.max(...places)).toBeGreaterThan(0.9 * walkMax)
  expect(Math.min(...places)).toBeLessThan(-0.9 * walkMax)
})

// Variance of a step that is uniform from -0.14 to 0.14, every ten seconds.
const varianceOf = (ageS: number) => (ageS / 10) * ((2 * 0.14) ** 2 / 12)

test('behavior: it wanders with the root of time, and does not remember where it came from', () => {
  // Far from the bounds. 400 walks give a variance within 7 %, so a quarter is over three of those.
  for (const ageS of [60, 300, 1_200]) {
    expect(meanOf((at) => at(ageS) ** 2) / varianceOf(ageS)).toBeGreaterThan(0.75)
    expect(meanOf((at) => at(ageS) ** 2) / varianceOf(ageS)).toBeLessThan(1.25)
  }
  // A walk with a drift back, or an oscillation, would correlate.
  const covariance = meanOf((at) => at(600) * (at(1_200) - at(600)))
  expect(Math.abs(covariance) / varianceOf(600)).toBeLessThan(0.2)
})
