import { expect, test } from 'vitest'
import { jsonNumber, jsonObject, jsonTokenAmount } from './wireNumber.ts'

test.each([
  [0, '0'],
  [-0, '0'],
  [1e21, '1000000000000000000000'],
  [1e-7, '0.0000001'],
  [-2.5e-9, '-0.0000000025'],
  [0.1, '0.1'],
  [Number.NaN, '0'],
  [Number.POSITIVE_INFINITY, '0'],
])('default: %d', (x, text) => {
  expect(jsonNumber(x)).toBe(text)
})

test('behavior: raw units are exact', () => {
  expect(jsonTokenAmount(123_456_789_012_345_678_901n, 18)).toBe('123.456789012345678901')
  expect(jsonTokenAmount(10n ** 40n, 0)).toBe(`1${'0'.repeat(40)}`)
})

test('behavior: an object is built from encoded members', () => {
  expect(jsonObject({ a: '1', 'b"': '"x"' })).toBe('{"a":1,"b\\"":"x"}')
})
