import fc from 'fast-check'
import { expect, test } from 'vitest'
import { IdSet } from './idSet.ts'

const ids = fc.array(fc.nat({ max: 200 }), { maxLength: 60 })
// Includes ids above the largest one in the set.
const all = Array.from({ length: 300 }, (_, id) => id)

test('behavior: an IdSet equals a Set, also after it is cleared', () => {
  fc.assert(
    fc.property(fc.array(ids, { maxLength: 5 }), (fills) => {
      const set = new IdSet()
      for (const fill of fills) {
        set.clear()
        const known = new Set<number>()
        for (const id of fill) {
          if (!set.has(id)) set.add(id)
          known.add(id)
        }
        expect([...set.slice(0, set.size)]).toEqual([...known])
        expect(all.filter((id) => set.has(id))).toEqual(all.filter((id) => known.has(id)))
      }
    }),
  )
})
