// Compares posting lists with sets while ids are added and removed in any order; enough ids for
// blocks to grow, split and be freed.
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
import { PostingLists } from './postingLists.ts'

const directory = mkdtempSync(join(tmpdir(), 'lists-'))
afterAll(() => rmSync(directory, { recursive: true }))

const keyCount = 3
/** Keys with a short list each, so that the lists fill several pages. */
const otherKeys = Array.from({ length: 1_500 }, (_, place) => keyCount + place)
/** Steps of many ids each: the first id, the number of ids and the distance between them. */
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
    isSettled: fc.boolean(),
  }),
  { maxLength: 14 },
)

function idsIn(lists: PostingLists, keys: readonly number[]): number[] {
  const ids: number[] = []
  lists.intersect(keys, Number.POSITIVE_INFINITY, (id, workLeft) => {
    ids.push(id)
    return workLeft
  })
  return ids
}

test('behavior: lists equal sets, and joined lists their intersection, through evictions', () => {
  let evicted = 0
  fc.assert(
    fc.property(steps, fc.nat({ max: 14 }), fc.nat({ max: 60_000 }), (all, copiedAt, max) => {
      const memories = [new ObservedMemory(), createSmallMemory(directory, max)]
      const kept = memories.map((memory) => new PostingLists('test', memory))
      for (const lists of kept)
        for (const key of otherKeys) for (const id of [key, key + 1]) lists.add(key, id)
      const plain = Array.from({ length: keyCount }, () => new Set<number>())
      const copy = () => {
        const memory = createSmallMemory(directory, max)
        const lists = new PostingLists('test', memory)
        fillParts(lists.imageParts(), memory, copyImage(kept[1]!.imageParts(), memories[1]!))
        memories.push(memory)
        kept.push(lists)
      }
      for (const [
        index,
        { isAdded, key, from, count, apart, isDown, isSettled },
      ] of all.entries()) {
        if (index === copiedAt) copy()
        for (let place = 0; place < count; place += 1) {
          const id = from + (isDown ? count - 1 - place : place) * apart
          if (isAdded) plain[key]!.add(id)
          else plain[key]!.delete(id)
          for (const lists of kept)
            if (isAdded) lists.add(key, id)
            else lists.remove(key, id)
        }
        if (isSettled) for (const memory of memories) memory.evictExcess()
        evicted += memories[1]!.evicted()
      }
      const sorted = plain.map((set) => [...set].sort((a, b) => a - b))
      const inTwo = sorted[0]!.filter((id) => plain[1]!.has(id))
      const inAll = inTwo.filter((id) => plain[2]!.has(id))
      for (const lists of kept) {
        sorted.forEach((ids, key) => {
          expect(idsIn(lists, [key]).join()).toBe(ids.join())
        })
        const lost = otherKeys.filter((key) => idsIn(lists, [key]).join() !== `${key},${key + 1}`)
        expect(lost).toEqual([])
        // Compared as text: comparing long arrays takes longer than joining them.
        expect(idsIn(lists, [0, 1]).join()).toBe(inTwo.join())
        expect(idsIn(lists, [2, 1, 0]).join()).toBe(inAll.join())
      }
      const images = kept.map((lists, index) =>
        imageText(copyImage(lists.imageParts(), memories[index]!)),
      )
      expect(new Set(images).size).toBe(1)
    }),
    { numRuns: 30 },
  )
  expect(evicted).toBeGreaterThan(100)
})

test('behavior: empty lists are reused', () => {
  const memory = new ObservedMemory()
  const lists = new PostingLists('test', memory)
  const count = 2_000
  const addAll = (from: number) => {
    for (let key = from; key < from + count; key += 1)
      for (let id = 0; id < 3; id += 1) lists.add(key, key * 10 + id)
  }
  const pageCount = (name: string) => memory.pagesOf.get(name)!.count
  addAll(0)
  const before = [pageCount('testLists'), pageCount('testBlocks')]
  expect(before[0]).toBe(Math.ceil(count / 256))
  for (let key = 0; key < count; key += 1)
    for (let id = 0; id < 3; id += 1) lists.remove(key, key * 10 + id)
  addAll(count)
  expect([pageCount('testLists'), pageCount('testBlocks')]).toEqual(before)
  expect(idsIn(lists, [0])).toEqual([])
  expect(idsIn(lists, [count])).toEqual([0, 1, 2].map((id) => count * 10 + id))
})
