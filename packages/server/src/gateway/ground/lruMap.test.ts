import { expect, test } from 'vitest'
import { createLruMap } from './lruMap.ts'

test('default: a value can be read after it was set', () => {
  const map = createLruMap<number>(4)
  map.set('a', 1)
  expect(map.get('a')).toBe(1)
  expect(map.get('b')).toBe(undefined)
  map.clear()
  expect(map.get('a')).toBe(undefined)
})

test('behavior: used entries stay, unused entries are evicted, and the size is bounded', () => {
  const map = createLruMap<number>(100)
  map.set('used', 0)
  for (let i = 0; i < 10_000; i += 1) {
    map.set(`guess ${i}`, i)
    expect(map.get('used')).toBe(0)
  }
  const kept = Array.from({ length: 10_000 }, (_, i) => map.get(`guess ${i}`)).filter(
    (value) => value !== undefined,
  )
  expect(kept.length).toBeLessThanOrEqual(100)
})
