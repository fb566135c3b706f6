import { setImmediate as macrotask } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { pollOptions } from '../../../../../test/support/until.ts'
import type { AppError } from '../../lib/errors.ts'
import { createLogger } from '../../lib/logger.ts'
import type { BlockWrite, Cursor } from '../blockWrite.ts'
import { noIgnoredContractGaps } from './rows/ignoredContractRows.ts'
import { startWriteLoop } from './writeLoop.ts'
import { createWriteQueue } from './writeQueue.ts'

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
