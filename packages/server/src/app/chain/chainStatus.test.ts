import { expect, test } from 'vitest'
import type { EndpointStats } from '../../kinds/intake.ts'
import { AppError } from '../../lib/errors.ts'
import type { NodeFault } from '../../model/block.ts'
import { chainStatusOf } from './chainStatus.ts'

const head = { number: 7, hash: 'h7', parentNumber: 6, parentHash: 'h6', timeS: 7 }
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
  endpoints: [] as EndpointStats[],
  unknownBalances: 0,
  unknownPools: 0,
  busyMs: 5,
  waitsFor: null as NodeFault | null,
  unresolvedPools: 0,
}
const writer = {
  queuedBlocks: 2,
  queuedBytes: 100,
  isFull: false,
  lastError: null,
  lastPersisted: { seq: 5, number: 6, hash: 'h6' },
  history: { firstNumber: 4, swapsFromS: null },
  retentionHeld: null,
  doubtful: { count: 0, newestNumber: null, untrueCount: 0 },
  leftOut: { missedPools: null, forgottenContracts: null },
  writingSinceMs: 99_000,
}
const parts = {
  engine: { head: () => head as typeof head | null },
  progress: progress as typeof progress | null,
  writer,
  queueBlocksMax: 10,
  startBlock: 3,
  headWarnings: ['it falls behind'],
  chain: 'eth',
  readyOnce: new Set<string>(),
  readyLimits: { lagSMax: 60, lagBlocksMax: 8, headAgeSMax: 120 },
  nowMs: 100_000,
}

test('default: a live chain without faults', () => {
  expect(chainStatusOf(parts)).toEqual({
    state: 'live',
    wasReady: true,
    lagReason: null,
    tipNumber: 9,
    past: null,
    audit: null,
    persistedNumber: 6,
    queueBlocks: 2,
    queueBlocksMax: 10,
    pausedReason: null,
    databaseError: null,
    failedCheck: null,
    rpcError: null,
    unresolvedPools: 0,
    missedPools: null,
    forgottenContracts: null,
    nodes: { error: null, endpoints: [] },
    retentionError: null,
    tipTimeS: null,
    headWarnings: ['it falls behind'],
    startBlock: 3,
    history: writer.history,
    doubtful: writer.doubtful,
  })
})

const failed = { summary: 'endpoint 1: refused', text: 'The node said more.' }

test('behavior: keeps node errors apart from the public status', () => {
  const tally = { latencyMs: 5, outcomes: {}, hedges: 0, faults: 0 }
  const endpoints = [
    { ...tally, name: '0:a', isHealthy: true, lastError: null },
    { ...tally, name: '1:b', isHealthy: false, lastError: failed },
  ]
  expect(chainStatusOf({ ...parts, progress: { ...progress, endpoints } })).toMatchObject({
    state: 'live',
    rpcError: null,
    nodes: {
      error: null,
      endpoints: [
        { name: '0:a', isHealthy: true, lastError: null },
        { name: '1:b', isHealthy: false, lastError: failed },
      ],
    },
    unresolvedPools: 0,
    missedPools: null,
    forgottenContracts: null,
  })
})

test('behavior: catching up until a block is applied near the reported head', () => {
  const fresh = { ...parts, readyOnce: new Set<string>() }
  const catchingUp = { state: 'catching_up', wasReady: false } as const
  expect(chainStatusOf({ ...fresh, progress: null })).toMatchObject({
    ...catchingUp,
    lagReason: 'it is served as it was stored, and not read yet',
  })
  const far = { ...progress, headNumber: 1_007, headTimeS: 798 }
  expect(chainStatusOf({ ...fresh, progress: far })).toMatchObject({
    ...catchingUp,
    lagReason: 'at block 7 of 1007, 1000 blocks and 791 s behind',
  })
  expect(fresh.readyOnce.size).toBe(0)
  const empty = { head: () => null }
  const none = { ...writer, lastPersisted: { seq: 0, number: -1, hash: '' } }
  const unheard = { ...progress, headNumber: -1, lastError: failed }
  expect(chainStatusOf({ ...fresh, engine: empty, writer: none, progress: unheard })).toMatchObject(
    {
      ...catchingUp,
      tipNumber: null,
      persistedNumber: null,
      lagReason: 'no block is applied yet',
      rpcError: failed.summary,
      nodes: { error: failed.text },
    },
  )
})

test('behavior: ready if few blocks or seconds behind the nodes, whatever the clock', () => {
  const statusAt = (headNumber: number, headTimeS: number) =>
    chainStatusOf({ ...parts, nowMs: 1e12, progress: { ...progress, headNumber, headTimeS } }).state
  // The same lag on a slow chain and on a fast chain.
  expect([statusAt(15, 4_807), statusAt(16, 4_807)]).toEqual(['live', 'lagging'])
  expect([statusAt(507, 67), statusAt(507, 68)]).toEqual(['live', 'lagging'])
})

test('behavior: a chain that was ready lags until it is at the head again', () => {
  const fresh = { ...parts, readyOnce: new Set<string>() }
  const far = { ...progress, headNumber: 1_007, headTimeS: 798 }
  expect(chainStatusOf(fresh)).toMatchObject({ state: 'live', wasReady: true })
  expect(chainStatusOf({ ...fresh, progress: far })).toMatchObject({
    state: 'lagging',
    wasReady: true,
  })
  expect(chainStatusOf({ ...fresh, progress: null })).toMatchObject({ state: 'lagging' })
  expect(chainStatusOf({ ...fresh, chain: 'bsc', progress: far })).toMatchObject({
    state: 'catching_up',
    wasReady: false,
  })
  expect(chainStatusOf(fresh)).toMatchObject({ state: 'live', lagReason: null })
})

test('behavior: lags if no node answers and the newest block is old', () => {
  const silent = { ...progress, lastError: failed }
  const statusAfter = (ageS: number) =>
    chainStatusOf({ ...parts, nowMs: (7 + ageS) * 1_000, progress: silent })
  expect(statusAfter(120)).toMatchObject({ state: 'live', rpcError: failed.summary })
  expect(statusAfter(121)).toMatchObject({
    state: 'lagging',
    lagReason: 'the newest block is 121 s old and no node answers: endpoint 1: refused',
  })
})

test('behavior: names the check that every endpoint fails', () => {
  const failedCheck = 'every endpoint fails the check bloom since block 8'
  const stopped = { ...progress, headNumber: 1_007, headTimeS: 798, failedCheck }
  expect(chainStatusOf({ ...parts, progress: stopped })).toMatchObject({
    failedCheck,
    lagReason: `at block 7 of 1007, 1000 blocks and 791 s behind: ${failedCheck}`,
  })
  const quiet = { ...progress, lastError: failed, failedCheck }
  expect(chainStatusOf({ ...parts, nowMs: 1_000_000, progress: quiet }).lagReason).toBe(
    `the newest block is 993 s old: ${failedCheck}`,
  )
})

test('behavior: reports a hung database, and the error of a failing one', () => {
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

test('behavior: reports a pause by a full queue, or by a block that waits for the database', () => {
  expect(chainStatusOf({ ...parts, writer: { ...writer, isFull: true } })).toMatchObject({
    pausedReason: 'The database is behind: its queue is full.',
  })
  const hanging = { ...writer, writingSinceMs: 95_500 }
  const waiting = { ...progress, isLive: false, busyMs: 3_000 }
  expect(chainStatusOf({ ...parts, writer: hanging, progress: waiting })).toMatchObject({
    pausedReason: 'A block needs what is stored, and waits for the database.',
  })
  const unanswered = { ...waiting, waitsFor: failed }
  expect(chainStatusOf({ ...parts, writer: hanging, progress: unanswered })).toMatchObject({
    pausedReason: 'A block needs what a node knows, and waits for its answer.',
    rpcError: failed.summary,
  })
  // A slow node must not be reported as a database fault.
  expect(chainStatusOf({ ...parts, progress: waiting })).toMatchObject({ pausedReason: null })
})
