// Tokens of several rankings, one after another in the same lists, against a plain map.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RankedTokens } from './rankedTokens.ts'

/** Alone, or many that came together. */
const ids = fc.oneof(
  fc.array(fc.nat({ max: 10_000_000 }), { maxLength: 300 }),
  fc
    .record({ from: fc.nat({ max: 10_000_000 }), count: fc.nat({ max: 300 }) })
    .map(({ from, count }) => Array.from({ length: count }, (_, at) => from + 2 * at)),
)

test('behavior: each token has one place, in the order in which they came, and nothing is left of the ranking before', () => {
  fc.assert(
    fc.property(fc.array(fc.array(ids, { maxLength: 3 }), { maxLength: 4 }), (rankings) => {
      const ranked = new RankedTokens()
      for (const lists of rankings) {
        const tokenIds = lists.flat()
        ranked.start(tokenIds.length)
        const plain = new Map<number, number>()
        for (const tokenId of tokenIds) {
          expect(ranked.find(tokenId)).toBe(plain.get(tokenId) ?? -1)
          if (!plain.has(tokenId)) plain.set(tokenId, plain.size)
          expect(ranked.placeOf(tokenId)).toBe(plain.get(tokenId))
        }
        expect(ranked.count).toBe(plain.size)
        expect([...ranked.tokenIds.subarray(0, ranked.count)]).toEqual([...plain.keys()])
      }
    }),
  )
})
