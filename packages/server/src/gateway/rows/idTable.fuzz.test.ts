import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hashOf } from '../idHash.ts'
import { IdTable } from './idTable.ts'

// Few letters, so that ids repeat and begin alike.
const id = fc.string({ unit: fc.constantFrom('a', 'b', 'A', '-'), minLength: 1, maxLength: 5 })

test('behavior: finds what a map finds', () => {
  fc.assert(
    // Few hashes, so that many ids have to look further.
    fc.property(fc.array(id, { maxLength: 200 }), fc.constantFrom(1, 7, -1), (ids, mask) => {
      const table = new IdTable(200)
      const map = new Map<string, number>()
      for (const text of ids) {
        // In the middle of other bytes, as ids stand in a body.
        const bytes = Buffer.from(`"${text}"`)
        const hash = hashOf(bytes, 1, bytes.length - 1) & mask
        const found = table.find(hash, bytes, 1, bytes.length - 1)
        expect(found).toBe(map.get(text) ?? -1)
        if (found < 0) map.set(text, table.add(hash, bytes, 1, bytes.length - 1))
      }
      expect(table.count).toBe(map.size)
      expect([...map.values()]).toEqual([...map.keys()].map((_, at) => at))
    }),
  )
})

test('behavior: a table that was cleared has none, and takes as many again', () => {
  const table = new IdTable(3)
  const bytes = Buffer.from('abc')
  for (let round = 0; round < 3; round += 1) {
    for (let at = 0; at < 3; at += 1) expect(table.add(9, bytes, at, at + 1)).toBe(at)
    expect(table.find(9, bytes, 1, 2)).toBe(1)
    expect(() => table.add(9, bytes, 0, 2)).toThrow('room')
    table.clear()
    expect([table.count, table.find(9, bytes, 1, 2)]).toEqual([0, -1])
  }
})
