import { setImmediate as macrotask } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import {
  createWriteSequence,
  klineEvent,
  swapEvent,
} from '../../../../../test/support/storeWrites.ts'
import { pollOptions } from '../../../../../test/support/until.ts'
import type { AppError } from '../../lib/errors.ts'
import { createLogger } from '../../lib/logger.ts'
import type { BlockWrite, Cursor } from '../blockWrite.ts'
import { noIgnoredContractGaps } from './rows/ignoredContractRows.ts'
import { createWriteQueue, startWriteLoop } from './writeLoop.ts'

// Longer than any test: blocks stored earlier did not wait.
const gatherMsMax = 600_000
const batchBlocksMax = 5

function createLoop() {
  const fatal: string[] = []
  let tellLost: () => void = () => undefined
  let cursorFound: Cursor | null = null
  const limits = { queueBlocksMax: 100, queueBytesMax: 1e9, batchBlocksMax, batchRowsMax: 1_000 }
  const queue = createWriteQueue(limits)
  const batches: number[][] = []
  const loop = startWriteLoop({
    queue,
    sink: {
      async connect() {
        const found = cursorFound
        cursorFound = null
        return found
      },
      isLost: () => cursorFound !== null,
      onLost(listener) {
        tellLost = listener
      },
      async store(batch) {
        batches.push(batch.map(({ seq }) => seq))
      },
      maintain: async () => undefined,
      trim: async () => undefined,
      doubtful: () => ({ count: 0, newestNumber: null, untrueCount: 0 }),
      leftOut: () => noIgnoredContractGaps,
      history: () => ({ firstNumber: null, swapsFromS: null }),
      retentionHeld: () => null,
      disconnect: () => undefined,
      requestHolderBar: () => undefined,
      faultOf: (error) => error as AppError,
    },
    storedSeq: 0,
    chain: 'local',
    logger: createLogger('silent'),
    retryDelayMsMax: 1,
    gatherMsMax,
    onStored: () => undefined,
    onIdle: () => undefined,
    onFatal: ({ code }) => void fatal.push(code),
  })
  onTestFinished(async () => {
    loop.stop()
    await loop.ended
  })
  let seq = 0
  return {
    loop,
    batches,
    fatal,
    /** Another server answers next. */
    lose(found: Cursor): void {
      cursorFound = found
      tellLost()
    },
    async put(undo: Uint8Array | null): Promise<void> {
      seq += 1
      queue.push(writeOf(seq, undo))
      loop.wake()
      for (let turns = 0; turns < 5; turns += 1) await macrotask()
    },
  }
}

function writeOf(seq: number, undo: Uint8Array | null): BlockWrite {
  const ref = {
    number: seq,
    hash: `h${seq}`,
    parentNumber: seq - 1,
    parentHash: `h${seq - 1}`,
    timeS: seq,
  }
  return {
    chainId: 1,
    expectedSeq: seq - 1,
    entries: [{ type: 'commit', ref, bytes: new Uint8Array(1), undo }],
    headAfter: { number: seq, hash: ref.hash },
    events: [],
    balances: [],
    reverted: null,
    nowS: seq,
  }
}

const head = new Uint8Array(1)
const past = null

test('default: a block that can be reverted is stored at once', async () => {
  const { batches, put } = createLoop()
  await put(head)
  await put(head)
  expect(batches).toEqual([[1], [2]])
})

test('behavior: blocks of the past wait for a full batch', async () => {
  const { batches, put } = createLoop()
  for (let count = 1; count < batchBlocksMax; count += 1) await put(past)
  expect(batches).toEqual([])
  await put(past)
  expect(batches).toEqual([[1, 2, 3, 4, 5]])
})

test('behavior: the first block at the head takes those before it along', async () => {
  const { batches, put } = createLoop()
  await put(past)
  await put(past)
  await put(head)
  expect(batches).toEqual([[1, 2, 3]])
})

test('behavior: who waits for the queue to be empty does not wait for more to come', async () => {
  const { loop, batches, put } = createLoop()
  await put(past)
  loop.hurry()
  for (let turns = 0; turns < 5; turns += 1) await macrotask()
  expect(batches).toEqual([[1]])
  await put(past)
  expect(batches).toEqual([[1]])
})

test('behavior: a session that is lost while nothing is written is opened again, and what the store lacks is found', async () => {
  const { batches, fatal, put, lose } = createLoop()
  await put(head)
  await put(head)
  lose({ seq: 2, number: 2, hash: 'h2' })
  await put(head)
  expect(batches).toEqual([[1], [2], [3]])
  lose({ seq: 1, number: 1, hash: 'h1' })
  await vi.waitFor(() => expect(fatal).toEqual(['STORE_CURSOR_MISMATCH']), pollOptions)
})

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
