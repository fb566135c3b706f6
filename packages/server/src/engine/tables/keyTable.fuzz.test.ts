// Compares the table with a map while keys are added and removed, many of them with the same hash:
// in memory, with pages that are evicted, and in a restored copy.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import {
  copyImage,
  createSmallMemory,
  fillParts,
  imageText,
  ObservedMemory,
} from '../../../../../test/support/imagedParts.ts'
import { KeyTable } from './keyTable.ts'

const directory = mkdtempSync(join(tmpdir(), 'keys-'))
afterAll(() => rmSync(directory, { recursive: true }))

const name = 'keys'
const hashes = 3
const placeMax = 3_000
const pageBytes = 12_296
/** Average number of keys per bucket before a bucket is split. */
const bucketKeys = 409

/** Inverse of the factor by which the hash multiplies the low half of a key. */
const undoing = (() => {
  let factor = 1
  for (let turn = 0; turn < 5; turn += 1)
    factor = Math.imul(factor, 2 - Math.imul(0x9e3779b1, factor))
  return factor
})()

/**
 * Returns a key. All keys of a `hash` below `hashes` have the same hash; other keys have different
 * hashes.
 */
function keyOf(hash: number, place: number): number {
  if (hash >= hashes) return hash * 2 ** 40 + place * 3
  const low = Math.imul(undoing, (hash * 0x1234567) ^ Math.imul(place, 0x85ebca6b))
  return place * 2 ** 32 + (low >>> 0)
}

const steps = fc.array(
  fc.record({
    isSet: fc.oneof(
      { weight: 2, arbitrary: fc.constant(true) },
      { weight: 1, arbitrary: fc.constant(false) },
    ),
    hash: fc.nat({ max: hashes + 2 }),
    from: fc.nat({ max: placeMax }),
    count: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.constant(1_500)),
    value: fc.integer({ min: 1, max: 2 ** 32 - 2_000 }),
    isSettled: fc.boolean(),
  }),
  { minLength: 4, maxLength: 14 },
)

test('behavior: a key has its last value, with shared hashes and through evictions', () => {
  let evicted = 0
  fc.assert(
    fc.property(
      steps,
      fc.nat({ max: 12 }),
      fc.nat({ max: 6 * pageBytes }),
      (all, copiedAt, max) => {
        const memories = [new ObservedMemory(), createSmallMemory(directory, max)]
        const tables = memories.map((memory) => new KeyTable(name, memory))
        const plain = new Map<number, number>()
        const copy = () => {
          const memory = createSmallMemory(directory, max)
          const table = new KeyTable(name, memory)
          fillParts([table], memory, copyImage([tables[1]!], memories[1]!))
          memories.push(memory)
          tables.push(table)
        }
        for (const [index, { isSet, hash, from, count, value, isSettled }] of all.entries()) {
          if (index === copiedAt) copy()
          for (let place = from; place < from + count; place += 1) {
            const key = keyOf(hash, place)
            if (isSet) plain.set(key, value + place - from)
            else plain.delete(key)
            for (const table of tables)
              if (isSet) table.set(key, value + place - from)
              else table.delete(key)
          }
          if (isSettled) for (const memory of memories) memory.evictExcess()
          evicted += memories[1]!.evicted()
        }
        const wrong: number[] = []
        for (let hash = 0; hash <= hashes + 2; hash += 1)
          for (let place = 0; place < placeMax + 1_500; place += 1) {
            const key = keyOf(hash, place)
            for (const table of tables)
              if (table.get(key) !== (plain.get(key) ?? 0)) wrong.push(key)
          }
        expect(wrong).toEqual([])
        const images = tables.map((table, index) => imageText(copyImage([table], memories[index]!)))
        expect(new Set(images).size).toBe(1)
      },
    ),
    { numRuns: 30 },
  )
  expect(evicted).toBeGreaterThan(100)
})

test('behavior: keys with the same hash fill overflow pages, which are reused once they are deleted', () => {
  const memory = new ObservedMemory()
  const table = new KeyTable(name, memory)
  const pages = memory.pagesOf.get(name)!
  const count = 10_000
  for (let place = 0; place < count; place += 1) table.set(keyOf(0, place), place + 1)
  // Pages have 1,024 slots; all buckets except one are empty.
  expect(pages.count).toBeGreaterThan(count / 1_024 + count / bucketKeys - 2)
  expect(pages.count).toBeLessThan(count / 1_000 + count / bucketKeys + 2)
  const before = pages.count
  for (let place = 0; place < count; place += 1) table.delete(keyOf(0, place))
  for (let place = 0; place < count; place += 1) table.set(keyOf(1, place), place + 1)
  expect(pages.count).toBe(before)
  for (let place = 0; place < count; place += 1) {
    expect(table.get(keyOf(0, place))).toBe(0)
    expect(table.get(keyOf(1, place))).toBe(place + 1)
  }
})

test('behavior: each bucket is one page, however many keys there are', () => {
  const memory = new ObservedMemory()
  const table = new KeyTable(name, memory)
  for (let place = 0; place < 400_000; place += 1) {
    table.set(keyOf(hashes, place), 1)
    if (place % 50_000 !== 49_999) continue
    const buckets = Math.ceil((place + 1) / bucketKeys)
    const { count } = memory.pagesOf.get(name)!
    expect(count).toBe(buckets)
  }
})
