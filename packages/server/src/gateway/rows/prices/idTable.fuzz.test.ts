import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dataViewOf, hashIdBytes, IdTable } from './idTable.ts'

// Few letters, so that ids repeat and share prefixes.
const id = fc.string({ unit: fc.constantFrom('a', 'b', 'A', '-'), minLength: 1, maxLength: 9 })

function createTable(countMax: number) {
  const strideBytes = 16
  const kept = Buffer.alloc(countMax * strideBytes)
  const table = new IdTable({ countMax, bytes: kept, firstAt: 2, strideBytes })
  return {
    table,
    add(hash: number, text: string): number {
      const number = table.add(hash, text.length)
      kept.write(text, number * strideBytes + 2)
      return number
    },
  }
}

test('behavior: finds the same ids as a Map', () => {
  fc.assert(
    // Few hash values, so that many ids collide.
    fc.property(fc.array(id, { maxLength: 200 }), fc.constantFrom(1, 7, -1), (ids, mask) => {
      const { table, add } = createTable(200)
      const map = new Map<string, number>()
      for (const text of ids) {
        // Surrounded by other bytes, as in a request body.
        const bytes = Buffer.from(`"${text}"`)
        const hash = hashIdBytes(bytes, 1, bytes.length - 1) & mask
        const found = table.find(hash, dataViewOf(bytes), 1, bytes.length - 1)
        expect(found).toBe(map.get(text) ?? -1)
        if (found < 0) map.set(text, add(hash, text))
      }
      expect(table.count).toBe(map.size)
      expect([...map.values()]).toEqual([...map.keys()].map((_, at) => at))
    }),
  )
})

test('behavior: a cleared table is empty and can be filled again', () => {
  const { table, add } = createTable(3)
  const bytes = dataViewOf(Buffer.from('abc'))
  for (let round = 0; round < 3; round += 1) {
    for (const [at, text] of ['a', 'b', 'c'].entries()) expect(add(9, text)).toBe(at)
    expect(table.find(9, bytes, 1, 2)).toBe(1)
    expect(() => add(9, 'ab')).toThrow('room')
    table.clear()
    expect([table.count, table.find(9, bytes, 1, 2)]).toEqual([0, -1])
  }
})
