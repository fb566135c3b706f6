import { expect, test } from 'vitest'
import { decimalOfDouble, decimalOfE8, decimalOfRaw } from './decimal.ts'

test.each([
  [0, '0'],
  [-0, '0'],
  [1, '1'],
  [1.5, '1.5'],
  [-2.18, '-2.18'],
  [1e-7, '0.0000001'],
  [-1.25e-9, '-0.00000000125'],
  [1e21, '1000000000000000000000'],
  [-1.2345e25, '-12345000000000000000000000'],
  [0.1 + 0.2, '0.30000000000000004'],
  [123456789012345680000, '123456789012345680000'],
])('default: %d', (x, text) => {
  expect(decimalOfDouble(x)).toBe(text)
})

test('behavior: the smallest and largest doubles', () => {
  expect(decimalOfDouble(Number.MIN_VALUE)).toBe(`0.${'0'.repeat(323)}5`)
  expect(decimalOfDouble(Number.MAX_VALUE)).toMatch(/^179769313486231570{292}$/)
})

test.each([
  [0n, 18, '0'],
  [1n, 0, '1'],
  [100n, 0, '100'],
  [1n, 18, '0.000000000000000001'],
  [1_500_000n, 6, '1.5'],
  [-1_500_000n, 6, '-1.5'],
  [10n ** 30n, 18, '1000000000000'],
])('default: raw %d with %d decimals', (amount, decimals, text) => {
  expect(decimalOfRaw(amount, decimals)).toBe(text)
})

test('behavior: 1e-8 units', () => {
  expect(decimalOfE8(123_450_000_000n)).toBe('1234.5')
  expect(decimalOfE8(-1n)).toBe('-0.00000001')
})

test.each([Number.NaN, Number.POSITIVE_INFINITY])('error: %d has no decimal text', (x) => {
  expect(() => decimalOfDouble(x)).toThrow()
})
