import { expect, test } from 'vitest'
import { isNearHead } from './block.ts'

test.each([
  // Seconds between blocks, and the number of blocks that counts as near.
  [12, 8],
  [2, 8],
  [1, 10],
  [0.2, 54],
])('behavior: at a block each %s s, %s blocks behind the head are near it', (blockS, nearest) => {
  const at = (number: number) => ({ number, timeS: Math.floor(number * blockS) })
  const head = at(10_004)
  expect(isNearHead(at(head.number - nearest), head)).toBe(true)
  expect(isNearHead(at(head.number - nearest - 1), head)).toBe(false)
})
