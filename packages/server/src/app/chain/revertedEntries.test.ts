import { expect, test } from 'vitest'
import { revertedEntries } from './revertedEntries.ts'

/** Entries as words: their sequence is their place. */
const passedOf = (...words: readonly string[]) =>
  [
    ...revertedEntries(
      words.map((word, at) => {
        const [type, hash] = word.split(' ') as ['commit' | 'late' | 'revert', string]
        return { seq: at, type, hash }
      }),
    ),
  ].sort((a, b) => a - b)

test('default: a block, what came late for it, and its revert', () => {
  expect(passedOf('commit a', 'commit b', 'late a', 'revert b', 'revert a')).toEqual([
    0, 1, 2, 3, 4,
  ])
})

test('behavior: a block that came again stands', () => {
  expect(passedOf('commit a', 'late a', 'revert a', 'commit a', 'late a')).toEqual([0, 1, 2])
  expect(passedOf('commit a', 'revert a', 'commit a', 'late a', 'revert a')).toEqual([
    0, 1, 2, 3, 4,
  ])
})

test('behavior: what comes late for a block that is gone goes with it', () => {
  expect(passedOf('commit a', 'revert a', 'late a')).toEqual([0, 1, 2])
})

test('behavior: nothing was reverted', () => {
  expect(passedOf()).toEqual([])
})
