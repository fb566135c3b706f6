import { expect, test } from 'vitest'
import { type HistoryFacts, historyGapsOf } from './health.ts'

const whole: HistoryFacts = {
  chain: 'eth',
  startBlock: 100,
  history: { firstNumber: 100, swapsFromS: null },
  tipNumber: 200,
  tipTimeS: 5_000,
  headNumber: 200,
  headTimeS: 5_000,
  persistedNumber: 199,
  unresolvedPools: 0,
  missedPools: null,
}

const gapsOf = (facts: Partial<HistoryFacts>) => historyGapsOf({ ...whole, ...facts })

test('default: complete history has no gap', () => {
  expect(gapsOf({})).toEqual([])
  expect(gapsOf({ startBlock: 'latest' })).toEqual([])
  // More history than configured is not a gap.
  expect(gapsOf({ startBlock: 150 })).toEqual([])
  // A few slow blocks, or some seconds of fast blocks, are in flight and not a gap.
  expect(gapsOf({ tipNumber: 208, tipTimeS: 5_096 })).toEqual([])
  expect(gapsOf({ tipNumber: 250, tipTimeS: 5_010 })).toEqual([])
  expect(gapsOf({ tipNumber: 255, tipTimeS: 5_011 })).toHaveLength(1)
})

test('behavior: blocks up to the head that are not read yet are a gap', () => {
  const backfill = { reason: 'backfill', before_time: null }
  expect(gapsOf({ tipNumber: 209, tipTimeS: 5_108 })).toEqual([
    {
      ...backfill,
      from_block: 201,
      to_block: 209,
      msg: 'Blocks 201 to 209 are still being read.',
    },
  ])
  const fresh = { headNumber: null, persistedNumber: null }
  const history = { firstNumber: null, swapsFromS: null }
  expect(gapsOf({ ...fresh, history })).toMatchObject([
    { ...backfill, from_block: 100, to_block: 200, msg: 'Blocks 100 to 200 are still being read.' },
  ])
  expect(gapsOf({ ...fresh, history, startBlock: 'latest' })).toMatchObject([
    { ...backfill, from_block: null, to_block: 200, msg: 'Blocks to 200 are still being read.' },
  ])
})

test('behavior: the end of the gap is unknown until a node answers', () => {
  expect(gapsOf({ tipNumber: null })).toEqual([
    {
      reason: 'backfill',
      from_block: 201,
      to_block: null,
      before_time: null,
      msg: 'No node has reported the newest block yet.',
    },
  ])
})

test('behavior: a configured start before the stored history is a gap', () => {
  expect(gapsOf({ startBlock: 40 })).toMatchObject([
    { reason: 'start', from_block: 40, to_block: 99, before_time: null },
  ])
})

const reading = {
  reason: 'start' as const,
  wantedNumber: 40,
  fromNumber: 40,
  nextNumber: 80,
  toNumber: 200,
  blocksPerS: 50,
  pausedReason: null,
}

test.each([
  [
    { wantedNumber: 40, progress: null },
    'The backfill starts once the chain has reached the head.',
  ],
  [
    { wantedNumber: 40, progress: reading },
    'Backfill from block 40: at 80 of 200, about 3 s left.',
  ],
  [
    {
      wantedNumber: 40,
      progress: { ...reading, blocksPerS: 0, toNumber: null, pausedReason: 'the head goes first' },
    },
    'Backfill from block 40: at 80. Paused: the head goes first.',
  ],
])("behavior: the backfill's progress is in the message %#", (past, text) => {
  const msg = `Blocks 40 to 99 are not stored yet. ${text}`
  const gap = { reason: 'start', msg, from_block: 40, to_block: 99 }
  expect(gapsOf({ startBlock: 'latest', past })).toMatchObject([gap])
})

test('behavior: history is incomplete while no node has reported its first block', () => {
  const past = { wantedNumber: undefined, progress: null }
  expect(gapsOf({ startBlock: 'latest', past })).toMatchObject([
    { reason: 'start', from_block: null, to_block: null },
  ])
  expect(gapsOf({ startBlock: 'latest', past: { wantedNumber: null, progress: null } })).toEqual([])
})

test('behavior: an unrecorded first block is a gap', () => {
  const history = { firstNumber: null, swapsFromS: null }
  expect(gapsOf({ history })).toMatchObject([{ reason: 'unknown', from_block: null }])
  // Blocks are applied but none is stored yet, so the start of history is unknown.
  expect(gapsOf({ history, persistedNumber: null })).toEqual([])
})

test('behavior: swaps deleted by retention are a gap, in addition to other gaps', () => {
  const history = { firstNumber: 100, swapsFromS: 1_760_054_400 }
  expect(gapsOf({ history })).toEqual([
    {
      reason: 'retention',
      from_block: null,
      to_block: null,
      before_time: 1_760_054_400,
      msg: 'Swaps before 2025-10-10T00:00:00Z were deleted (retention.swaps_days).',
    },
  ])
  const all = gapsOf({ history, startBlock: 0, tipNumber: 300, tipTimeS: 6_200 })
  expect(all.map(({ reason }) => reason)).toEqual(['backfill', 'start', 'retention'])
})

test('behavior: contracts that no node classifies are a gap', () => {
  expect(gapsOf({ unresolvedPools: 3 })).toMatchObject([
    {
      reason: 'pools',
      from_block: 201,
      to_block: null,
      msg: 'The next block waits: no node answers whether 3 contracts are pools.',
    },
  ])
})

test('behavior: pools with missing trades are gaps', () => {
  const pools = [{ address: '0xpool', fromNumber: 120, toNumber: 150 }]
  const all = { fromNumber: 120, toNumber: 170 }
  const named = {
    reason: 'pools',
    from_block: 120,
    to_block: 150,
    msg: 'Trades of the pool 0xpool in blocks 120 to 150 are missing: a node reported that the contract is not a pool. The chain is read again for them. The process that ingests the chain backfills it.',
  }
  expect(gapsOf({ missedPools: { count: 1, pools, ...all } })).toMatchObject([named])
  expect(gapsOf({ missedPools: { count: 3, pools, ...all } })).toMatchObject([
    named,
    {
      reason: 'pools',
      from_block: 120,
      to_block: 170,
      msg: 'Trades of 2 more pools in blocks 120 to 170 are missing. The chain is read again for them. The process that ingests the chain backfills it.',
    },
  ])
})

test('behavior: skipped events of contracts that are no longer recorded are a gap', () => {
  const forgottenContracts = { count: 4, fromNumber: 120, toNumber: 150 }
  expect(gapsOf({ forgottenContracts })).toMatchObject([
    {
      reason: 'pools',
      from_block: 120,
      to_block: 150,
      msg: 'Events of 4 contracts in blocks 120 to 150 are missing, and the addresses of these contracts are no longer stored. The chain is read again for them. The process that ingests the chain backfills it.',
    },
  ])
})
