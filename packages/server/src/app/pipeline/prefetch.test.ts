import { expect, test } from 'vitest'
import { prefetch } from './prefetch.ts'

async function* count(to: number, taken: number[] = []): AsyncGenerator<number> {
  for (let number = 0; number < to; number += 1) {
    taken.push(number)
    yield number
  }
}

async function collect<item>(items: AsyncIterable<item>): Promise<item[]> {
  const all: item[] = []
  for await (const item of items) all.push(item)
  return all
}

test('default: yields results in order', async () => {
  expect(await collect(prefetch(count(5), 2, (number) => number * 10))).toEqual([0, 10, 20, 30, 40])
  expect(await collect(prefetch(count(0), 2, (number) => number))).toEqual([])
})

test('behavior: begins at most aheadMax items ahead', async () => {
  const taken: number[] = []
  const items = prefetch(count(100, taken), 8, (number) => number)
  await items.next()
  for (let turn = 0; turn < 50; turn += 1) await Promise.resolve()
  // Eight items wait, one was returned, and the source has produced the next one.
  expect(taken.length).toBeLessThanOrEqual(10)
  expect(taken.length).toBeGreaterThanOrEqual(8)
  await items.return(undefined)
})

test('error: yields items before the failure first', async () => {
  async function* failing() {
    yield 1
    yield 2
    throw new Error('broken')
  }
  const seen: number[] = []
  const read = async () => {
    for await (const item of prefetch(failing(), 10, (number) => number)) seen.push(item)
  }
  await expect(read()).rejects.toThrow('broken')
  expect(seen).toEqual([1, 2])
})

test('behavior: returning ends the source', async () => {
  let isEnded = false
  async function* source() {
    try {
      for (let number = 0; ; number += 1) yield number
    } finally {
      isEnded = true
    }
  }
  for await (const item of prefetch(source(), 4, (number) => number)) if (item === 2) break
  for (let turn = 0; turn < 50; turn += 1) await Promise.resolve()
  expect(isEnded).toBe(true)
})
