import { expect, test } from 'vitest'
import { createRandom } from './random.ts'

const draw = (seed: string, count: number) => {
  const random = createRandom(seed)
  return Array.from({ length: count }, () => random.next())
}

test('default', () => {
  expect(draw('a', 20)).toEqual(draw('a', 20))
  expect(draw('a', 20)).not.toEqual(draw('b', 20))
})

test('behavior: spread evenly over the interval', () => {
  const buckets = new Array<number>(10).fill(0)
  for (const value of draw('spread', 100_000)) buckets[Math.floor(value * 10)]! += 1
  // Six standard deviations of a binomial with n = 100,000 and p = 0.1.
  for (const count of buckets) expect(Math.abs(count - 10_000)).toBeLessThan(570)
})

test('behavior: neighbouring blocks are not alike', () => {
  const firsts = Array.from({ length: 1000 }, (_, number) => createRandom(`block/${number}`).next())
  expect(new Set(firsts).size).toBe(1000)
  const mean = firsts.reduce((sum, value) => sum + value, 0) / firsts.length
  expect(Math.abs(mean - 0.5)).toBeLessThan(0.06)
})
