import fc from 'fast-check'
import { expect, test } from 'vitest'
import { largestIndexes } from './largestIndexes.ts'

test('behavior: keepLargest equals a full sort', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.integer({ min: 0, max: 20 }).map((n) => n / 4),
        { maxLength: 60 },
      ),
      fc.nat({ max: 70 }),
      (values, max) => {
        const sorted = values
          .map((_, place) => place)
          .sort((a, b) => values[b]! - values[a]! || b - a)
        expect(largestIndexes(Float64Array.from(values), max, (place) => -place)).toEqual(
          sorted.slice(0, max),
        )
      },
    ),
  )
})
