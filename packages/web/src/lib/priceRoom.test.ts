import { expect, test } from 'vitest'
import { withRoom } from './priceRoom.ts'

const scaled = (minValue: number, maxValue: number) => ({ priceRange: { minValue, maxValue } })

test('default: prices that move have the height that they have', () => {
  expect(withRoom(scaled(0.99, 1.01))).toEqual(scaled(0.99, 1.01))
  expect(withRoom(scaled(1e-9, 1.001e-9))).toEqual(scaled(1e-9, 1.001e-9))
  expect(withRoom(null)).toBe(null)
  expect(withRoom({ priceRange: null })).toEqual({ priceRange: null })
})

test('behavior: prices that are all the same are in the middle of something', () => {
  expect(withRoom(scaled(1, 1))).toEqual(scaled(0.99, 1.01))
  expect(withRoom(scaled(1, 1.000_001))).toEqual(scaled(1 - 0.010_000_01, 1.000_001 + 0.010_000_01))
})
