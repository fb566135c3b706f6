import { expect, test } from 'vitest'
import {
  createWriteSequence,
  klineEvent,
  swapEvent,
} from '../../../../../test/support/storeWrites.ts'
import type { BlockWrite } from '../blockWrite.ts'
import { createWriteQueue } from './writeQueue.ts'

const limits = { queueBlocksMax: 6, queueBytesMax: 1_000, batchBlocksMax: 3, batchRowsMax: 5 }
const open = (change: Partial<typeof limits> = {}) => createWriteQueue({ ...limits, ...change })
const bytesIn = ({ entries }: BlockWrite) =>
  entries.reduce((sum, { bytes, undo }) => sum + bytes.length + (undo?.length ?? 0), 0)
const swaps = (count: number) => Array.from({ length: count }, (_, at) => swapEvent(at, 0))
const seqsOf = (writes: readonly { seq: number }[]) => writes.map(({ seq }) => seq)

test('writes are counted and numbered from where the first one begins', () => {
  const queue = open()
  const tape = createWriteSequence(1, { seq: 40 })
  const writes = [tape.commit(), tape.commit({ events: swaps(2) }), tape.commit()]
  expect(writes.map((write) => queue.push(write))).toEqual([41, 42, 43])
  const total = writes.reduce((sum, write) => sum + bytesIn(write), 0)
  expect([queue.length(), queue.sizeBytes()]).toEqual([3, total])
  expect(queue.oldest()).toMatchObject({
    seq: 41,
    cursorAfter: { seq: 41, number: 0, hash: 'hash0' },
  })
  queue.drop(1)
  expect([queue.length(), queue.sizeBytes()]).toEqual([2, total - bytesIn(writes[0]!)])
  expect(queue.oldest()).toMatchObject({ seq: 42, cursorAfter: { number: 1, hash: 'hash1' } })
  queue.drop(2)
  expect([queue.length(), queue.sizeBytes(), queue.oldest()]).toEqual([0, 0, undefined])
  expect(queue.peekBatch()).toEqual([])
})

test('whatever is dropped in which steps, the oldest that are left come next', () => {
  const queue = open({ batchBlocksMax: 100 })
  const tape = createWriteSequence(1)
  let [pushed, dropped] = [0, 0]
  for (const count of [1, 3, 2, 5, 1, 4, 7, 2]) {
    for (; pushed < dropped + count + 3; pushed += 1) queue.push(tape.commit())
    queue.drop(count)
    dropped += count
    const left = Array.from({ length: pushed - dropped }, (_, at) => dropped + at + 1)
    expect(seqsOf(queue.peekBatch())).toEqual(left)
    expect(queue.length()).toBe(left.length)
  }
  expect(() => queue.drop(queue.length() + 1)).toThrow()
})

test('it is full by blocks or by bytes, from the limit on', () => {
  const queue = open({ queueBlocksMax: 2 })
  const tape = createWriteSequence(1)
  expect(queue.isFull()).toBe(false)
  queue.push(tape.commit())
  expect(queue.isFull()).toBe(false)
  queue.push(tape.commit())
  expect(queue.isFull()).toBe(true)
  queue.drop(1)
  expect(queue.isFull()).toBe(false)

  const write = createWriteSequence(1).commit()
  for (const [queueBytesMax, isFull] of [
    [bytesIn(write), true],
    [bytesIn(write) + 1, false],
  ] as const) {
    const small = open({ queueBytesMax })
    small.push(write)
    expect(small.isFull()).toBe(isFull)
  }
})

test('a batch ends at its most blocks and rows, but has one write at least', () => {
  const queue = open()
  const tape = createWriteSequence(1)
  const balances = [{ tokenId: 1, wallet: 'w', before: 0n, after: 1n }]
  for (const count of [2, 3, 1, 9, 0, 0, 0, 0]) queue.push(tape.commit({ events: swaps(count) }))
  const batches: number[][] = []
  while (queue.length() > 0) {
    const batch = queue.peekBatch()
    batches.push(seqsOf(batch))
    queue.drop(batch.length)
  }
  expect(batches).toEqual([[1, 2], [3], [4], [5, 6, 7], [8]])
  queue.push(tape.commit({ events: swaps(4), balances }))
  queue.push(tape.commit({ events: [klineEvent(0, 0, 1)] }))
  expect(seqsOf(queue.peekBatch())).toEqual([9])
})

test('a revert goes alone', () => {
  const queue = open({ batchBlocksMax: 9 })
  const tape = createWriteSequence(1)
  for (const write of [tape.commit(), tape.commit(), tape.revert(), tape.revert(), tape.commit()])
    queue.push(write)
  const batches: number[][] = []
  while (queue.length() > 0) {
    const batch = queue.peekBatch()
    batches.push(seqsOf(batch))
    queue.drop(batch.length)
  }
  expect(batches).toEqual([[1, 2], [3], [4], [5]])
})

test('gathering is worth it while only past blocks wait that do not fill a batch', () => {
  const past = { isFinal: true }
  const queue = open()
  const tape = createWriteSequence(1)
  expect(queue.isWorthGathering()).toBe(true)
  queue.push(tape.commit({ ...past, events: swaps(4) }))
  expect(queue.isWorthGathering()).toBe(true)
  queue.push(tape.commit({ ...past, events: swaps(1) }))
  expect(queue.isWorthGathering()).toBe(false)
  queue.drop(1)
  expect(queue.isWorthGathering()).toBe(true)
  queue.push(tape.finalize(1))
  expect(queue.isWorthGathering()).toBe(true)
  queue.push(tape.commit(past))
  expect(queue.isWorthGathering()).toBe(false)
  queue.drop(2)
  expect(queue.isWorthGathering()).toBe(true)
  queue.push(tape.commit())
  expect(queue.isWorthGathering()).toBe(false)
  queue.drop(2)
  expect(queue.isWorthGathering()).toBe(true)
})

test('error: writes that do not follow each other, or are not one step', () => {
  const tape = createWriteSequence(1)
  const [first, second, third] = [tape.commit(), tape.commit(), tape.commit()]
  const queue = open()
  queue.push(first)
  expect(() => queue.push(third)).toThrow('writes must follow each other')
  const entries = [...first.entries, ...second.entries]
  expect(() => open().push({ ...first, entries })).toThrow('a write changes one block')
  expect(() => open().push({ ...first, entries: [] })).toThrow('at least one log entry')
  const revert = tape.revert()
  expect(() => open().push({ ...revert, reverted: null })).toThrow('names the block')
  expect(() => open().push({ ...first, reverted: revert.reverted })).toThrow('names the block')
  const more = [...revert.entries, ...revert.entries]
  expect(() => open().push({ ...revert, entries: more })).toThrow('a revert stands alone')
})
