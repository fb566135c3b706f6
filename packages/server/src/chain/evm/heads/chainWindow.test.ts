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

test('behavior: takes back to nothing', () => {
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
