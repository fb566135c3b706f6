import fc from 'fast-check'
import { expect, test } from 'vitest'
import { collectGarbageNow } from '../../../../../../test/support/collectGarbage.ts'
import { ItemTable } from './itemTable.ts'
import type { Subscription } from './subscription.ts'

const subscriptions = Array.from({ length: 4 }, (_, serial) => ({ serial }) as Subscription)

const key = fc.oneof(
  fc.integer({ min: 0, max: 40 }).map((at) => `tx:0x${at}-bsc`),
  fc.string({ unit: 'grapheme' }),
)
const change = fc.record({
  key,
  owner: fc.nat({ max: subscriptions.length - 1 }),
  isUnknown: fc.boolean(),
  isDeleted: fc.boolean(),
})

test('behavior: the table holds what a Map holds, in the same order', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 300 }), (changes) => {
      const table = new ItemTable()
      const map = new Map<string, { subscription: Subscription; isUnknown: boolean }>()
      for (const { key, owner, isUnknown, isDeleted } of changes) {
        const known = map.get(key)
        expect(table.has(key)).toBe(known !== undefined)
        if (isDeleted || known !== undefined) {
          expect(table.delete(key)).toEqual(known)
          map.delete(key)
        }
        if (isDeleted) continue
        const item = { subscription: subscriptions[owner]!, isUnknown }
        table.add(key, item)
        map.set(key, item)
      }
      expect(table.size).toBe(map.size)
      expect([...table.entries()]).toEqual([...map])
    }),
  )
})

test('behavior: endless adding and deleting uses no more memory than the items need', () => {
  const table = new ItemTable()
  const item = { subscription: subscriptions[0]!, isUnknown: false }
  for (let at = 0; at < 100_000; at += 1) {
    table.add(`tx:${at}`, item)
    if (at >= 10) expect(table.delete(`tx:${at - 10}`)).toEqual(item)
  }
  expect([...table.keys()]).toEqual(Array.from({ length: 10 }, (_, at) => `tx:${99_990 + at}`))
  expect(table.bytes).toBeLessThan(10_000)
})

test('behavior: an item uses almost no heap, and few bytes outside of it', () => {
  const count = 100_000
  const table = new ItemTable()
  const item = { subscription: subscriptions[0]!, isUnknown: false }
  // Nothing else runs in this process until the test ends. A second collection frees what
  // finalizers of the first released.
  collectGarbageNow()
  collectGarbageNow()
  const before = process.memoryUsage().heapUsed
  for (let at = 0; at < count; at += 1)
    table.add(`multi_kline:0x${`${at}`.padStart(40, '0')}-bsc:k5`, item)
  collectGarbageNow()
  expect((process.memoryUsage().heapUsed - before) / count).toBeLessThan(50)
  expect(table.bytes / count).toBeLessThan(200)
  expect(table.size).toBe(count)
})
