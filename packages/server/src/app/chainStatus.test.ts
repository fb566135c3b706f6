import { expect, test } from 'vitest'
import { AppError } from '../lib/errors.ts'
import { chainStatusOf } from './chainStatus.ts'
import type { EndpointTally } from './rpcTally.ts'

const head = { number: 7, hash: 'h7', parentHash: 'h6', timeS: 7 }
const progress = {
  startNumber: 0,
  headNumber: 9,
  headTimeS: 0,
  finalizedNumber: 3,
  settledNumber: 3,
  cursorNumber: 7,
  isLive: true,
  lastError: null,
  dropped: {},
  lateTokens: 0,
  openHistories: 0,
  notPools: 0,
  endpoints: [] as EndpointTally[],
  unknownBalances: 0,
  unknownPools: 0,
  busyMs: 5,
  waitsFor: null as string | null,
  unresolvedPools: 0,
  missedPools: null,
}
const writer = {
  queuedBlocks: 2,
  queuedBytes: 100,
  isFull: false,
  lastError: null,
  lastPersisted: { seq: 5, number: 6, hash: 'h6' },
  history: { firstNumber: 4, swapsFromS: null },
  retentionHeld: null,
  doubtful: { count: 0, newestNumber: null },
  writingSinceMs: 99_000,
}
const parts = {
  engine: { head: () => head as typeof head | null },
  progress: progress as typeof progress | null,
  writer,
  queueBlocksMax: 10,
  startBlock: 3,
  headWarnings: ['it falls behind'],
  nowMs: 100_000,
}

test('default: live and well', () => {
  expect(chainStatusOf(parts)).toEqual({
    state: 'live',
    tipNumber: 9,
    persistedNumber: 6,
    queueBlocks: 2,
    queueBlocksMax: 10,
    pausedReason: null,
    databaseError: null,
    rpcError: null,
    unresolvedPools: 0,
    missedPools: null,
    endpointFaults: [],
    retentionHeld: null,
    tipTimeS: null,
    headWarnings: ['it falls behind'],
    startBlock: 3,
    history: writer.history,
    doubtful: writer.doubtful,
  })
})

test('behavior: an endpoint that is not well is named, with its last error in one line', () => {
  const tally = { latencyMs: 5, outcomes: {}, hedges: 0, faults: 0 }
  const endpoints = [
    { ...tally, name: '0:a', isHealthy: true, lastError: 'long ago' },
    { ...tally, name: '1:b', isHealthy: false, lastError: 'No answer.\n  Endpoint: 1:b' },
  ]
  expect(chainStatusOf({ ...parts, progress: { ...progress, endpoints } })).toMatchObject({
    state: 'live',
    endpointFaults: ['1:b: No answer. Endpoint: 1:b'],
    rpcError: null,
    unresolvedPools: 0,
    missedPools: null,
  })
})

test('behavior: starting until there is a block and word from the chain', () => {
  expect(chainStatusOf({ ...parts, progress: null })).toMatchObject({ state: 'starting' })
  const empty = { head: () => null }
  const none = { ...writer, lastPersisted: { seq: 0, number: -1, hash: '' } }
  const unheard = { ...progress, headNumber: -1, lastError: 'no route' }
  expect(chainStatusOf({ ...parts, engine: empty, writer: none, progress: unheard })).toMatchObject(
    {
      state: 'starting',
      tipNumber: null,
      persistedNumber: null,
      rpcError: 'no route',
    },
  )
})

test('behavior: a database that hangs is named, one that fails by its error', () => {
  const hanging = { ...writer, writingSinceMs: 95_500 }
  expect(chainStatusOf({ ...parts, writer: hanging })).toMatchObject({
    state: 'live',
    databaseError: 'A write has been under way for 4 s.',
  })
  const failing = { ...hanging, lastError: new AppError('X', 'The database does not answer.') }
  expect(chainStatusOf({ ...parts, writer: failing })).toMatchObject({
    databaseError: 'The database does not answer.',
  })
})

test('behavior: paused by a full queue, or by a block that needs the database', () => {
  expect(chainStatusOf({ ...parts, writer: { ...writer, isFull: true } })).toMatchObject({
    state: 'paused',
    pausedReason: 'The database is behind: its queue is full.',
  })
  const hanging = { ...writer, writingSinceMs: 95_500 }
  const waiting = { ...progress, isLive: false, busyMs: 3_000 }
  expect(chainStatusOf({ ...parts, writer: hanging, progress: waiting })).toMatchObject({
    state: 'paused',
    pausedReason: 'A block needs what is stored, and waits for the database.',
  })
  const unanswered = { ...waiting, waitsFor: 'pools: The node did not answer.' }
  expect(chainStatusOf({ ...parts, writer: hanging, progress: unanswered })).toMatchObject({
    state: 'paused',
    pausedReason: 'A block needs what a node knows, and waits for its answer.',
    rpcError: 'pools: The node did not answer.',
  })
  // A slow node is no reason to blame the database.
  expect(chainStatusOf({ ...parts, progress: waiting })).toMatchObject({ state: 'backfill' })
})
