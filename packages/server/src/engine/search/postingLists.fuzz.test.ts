// Ids put into lists and taken out again, in any order, against sets; enough of them that blocks grow, split and go.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PostingLists } from './postingLists.ts'

const keyCount = 3
/** Steps of many ids at once: from one on, so many, so far apart. */
const steps = fc.array(
  fc.record({
    isAdded: fc.oneof(
      { weight: 2, arbitrary: fc.constant(true) },
      { weight: 1, arbitrary: fc.constant(false) },
    ),
    key: fc.nat({ max: keyCount - 1 }),
    from: fc.oneof(fc.nat({ max: 5_000 }), fc.nat({ max: 2 ** 31 - 2_000_000 })),
    count: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.constant(3_000)),
    apart: fc.constantFrom(1, 3, 200),
    isDown: fc.boolean(),
  }),
  { maxLength: 14 },
)

function idsIn(lists: PostingLists, keys: readonly number[]): number[] {
  const ids: number[] = []
  lists.join(keys, Number.POSITIVE_INFINITY, (id, workLeft) => {
    ids.push(id)
    return workLeft
  })
  return ids
}

test('behavior: a list has what was put into it, and lists in common what all have', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const lists = new PostingLists()
      const plain = Array.from({ length: keyCount }, () => new Set<number>())
      for (const { isAdded, key, from, count, apart, isDown } of all)
        for (let index = 0; index < count; index += 1) {
          const id = from + (isDown ? count - 1 - index : index) * apart
          if (isAdded) {
            lists.add(key, id)
            plain[key]!.add(id)
          } else {
            lists.remove(key, id)
            plain[key]!.delete(id)
          }
        }
      const sorted = plain.map((set) => [...set].sort((a, b) => a - b))
      sorted.forEach((ids, key) => {
        expect(idsIn(lists, [key]).join()).toBe(ids.join())
      })
      const inTwo = sorted[0]!.filter((id) => plain[1]!.has(id))
      const inAll = inTwo.filter((id) => plain[2]!.has(id))
      // As texts: to compare long arrays takes longer than to make them.
      expect(idsIn(lists, [0, 1]).join()).toBe(inTwo.join())
      expect(idsIn(lists, [2, 1, 0]).join()).toBe(inAll.join())
    }),
    { numRuns: 30 },
  )
})
