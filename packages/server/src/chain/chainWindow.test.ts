import { expect, test } from 'vitest'
import { createChainWindow } from './chainWindow.ts'

const refAt = (number: number) => ({
  number,
  hash: `h${number}`,
  parentNumber: number - 1,
  parentHash: `h${number - 1}`,
  timeS: number,
})

test('default: holds the newest blocks and the hash below them', () => {
  const window = createChainWindow([], 3)
  for (let number = 10; number < 30; number += 1) window.push(refAt(number))
  expect(window.oldest()).toEqual(refAt(27))
  expect([30, 29, 27, 26, 25].map(window.hashAt)).toEqual([
    undefined,
    'h29',
    'h27',
    'h26',
    undefined,
  ])
})

test('behavior: reverts to nothing', () => {
  const window = createChainWindow([refAt(4), refAt(5)], 3)
  expect([window.pop(), window.pop()]).toEqual([refAt(5), refAt(4)])
  expect(window.tip()).toBeNull()
  expect(() => window.pop()).toThrow('Nothing left')
})

test('error: blocks that do not link', () => {
  const window = createChainWindow([refAt(4)], 3)
  expect(() => window.push(refAt(6))).toThrow()
  expect(() => window.push({ ...refAt(5), parentHash: 'x' })).toThrow()
  expect(() => createChainWindow([refAt(4), refAt(6)], 3)).toThrow()
})

test('behavior: numbers between two blocks may not have been read', () => {
  const window = createChainWindow([], 3)
  const sparse = [3, 10, 11, 20].map((number, at, all) => ({
    ...refAt(number),
    parentNumber: all[at - 1] ?? 2,
    parentHash: `h${all[at - 1] ?? 2}`,
  }))
  for (const ref of sparse) window.push(ref)
  // Known hashes: those of three blocks, and of the oldest block's parent.
  expect([2, 3, 4, 9, 10, 11, 15, 20, 21].map(window.hashAt)).toEqual([
    ...[undefined, 'h3', null, null, 'h10', 'h11', null, 'h20', undefined],
  ])
  expect([0, 3, 10, 11].map((number) => window.firstAbove(number)?.number)).toEqual([3, 10, 11, 20])
  expect(window.firstAbove(20)).toBeUndefined()
  expect([3, 10, 15, 20].map(window.countAbove)).toEqual([3, 2, 1, 0])
})

test.each([200, 12_000])('args: newestBy, at a block each %s ms', (blockMs) => {
  const window = createChainWindow([], 400)
  const timeOf = (number: number) => Math.floor((number * blockMs) / 1_000)
  for (let number = 1; number <= 1_000; number += 1)
    window.push({ ...refAt(number), timeS: timeOf(number) })
  const minute = window.newestBy(timeOf(1_000) - 60)!
  expect(timeOf(1_000) - minute.timeS).toBe(60)
  expect(timeOf(minute.number + 1)).toBeGreaterThan(minute.timeS)
  expect(window.newestBy(timeOf(595))).toBeUndefined()
  expect(window.newestBy(timeOf(1_000) + 900)?.number).toBe(1_000)
})
