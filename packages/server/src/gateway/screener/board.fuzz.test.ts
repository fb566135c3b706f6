import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Selection } from './board.ts'

// A selection alone needs no market.
function selectionOf(values: readonly number[], limit: number, sign: 1 | -1): number[] {
  const selection = new Selection({ ranges: [], column: 0, sign, limit, after: null })
  for (const [id, value] of values.entries())
    if (sign * value > selection.least) selection.add(id, sign * value)
  return selection.largest().map(({ id }) => id)
}

test('behavior: the largest of many, equal ones by id, as sorting all of them gives', () => {
  const anyValues = fc.array(
    fc.oneof(fc.integer({ min: -3, max: 3 }), fc.double({ noNaN: true, min: -1e9, max: 1e9 })),
    {
      maxLength: 300,
    },
  )
  fc.assert(
    fc.property(
      anyValues,
      fc.integer({ min: 1, max: 20 }),
      fc.constantFrom(1 as const, -1 as const),
      (values, limit, sign) => {
        const wanted = [...values.keys()]
          .sort((a, b) => sign * (values[b]! - values[a]!) || a - b)
          .slice(0, limit)
        expect(selectionOf(values, limit, sign)).toEqual(wanted)
      },
    ),
  )
})
