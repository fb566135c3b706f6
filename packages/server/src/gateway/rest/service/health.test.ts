import { expect, test } from 'vitest'
import { gatewayChainOf } from '../../../../../../test/support/gatewayChain.ts'
import type { MarketReads } from '../../../engine/marketReads.ts'
import type { ChainProfile } from '../../../model/chainProfile.ts'
import type { ChainStatus } from '../../chain/gatewayChain.ts'
import { readyBody } from './health.ts'

const nowS = 1_760_000_000

const goodStatus: ChainStatus = {
  state: 'live',
  wasReady: true,
  lagReason: null,
  tipNumber: 9,
  persistedNumber: 8,
  queueBlocks: 1,
  queueBlocksMax: 1_024,
  pausedReason: null,
  databaseError: null,
  rpcError: null,
  unresolvedPools: 0,
  missedPools: null,
  retentionError: null,
  tipTimeS: null,
  startBlock: 3,
  history: { firstNumber: 3, swapsFromS: null },
}

function bodyOf(status: Partial<ChainStatus>, { hasHead = true, laterS = 0, only = '' } = {}) {
  const head = { number: 9, hash: '0x9', parentNumber: 8, parentHash: '0x8', timeS: nowS }
  const reads = {
    head: () => (hasHead ? head : null),
    finalizedNumber: () => 8,
  } as MarketReads
  const chain = gatewayChainOf({
    profile: { name: 'local' } as ChainProfile,
    reads,
    status: () => ({ ...goodStatus, ...status }),
  })
  const clock = { nowMs: () => (nowS + laterS) * 1_000 }
  return readyBody(new Map([['local', chain]]), {
    clock,
    headAgeSMax: 120,
    only: only || undefined,
  })
}

const catchingUp = { state: 'catching_up', wasReady: false, lagReason: 'it waits' } as const

test('behavior: differences between store and chain are a warning that names the remedy', () => {
  const audit = {
    checkedBlocks: 16,
    checkedBalances: 4,
    checkedAtS: 1_760_000_000,
    pausedReason: null,
    fromNumber: 1,
    toNumber: 16,
    differences: 0,
    lastDifference: null,
  }
  expect(bodyOf({ audit }).warnings).toEqual([])
  expect(bodyOf({ audit }).chains.local!.audit).toMatchObject({
    checked_blocks: 16,
    checked_balances: 4,
    checked_at: 1_760_000_000,
    from_block: 1,
    to_block: 16,
    differences: 0,
    last_difference: null,
  })
  const found = { ...audit, differences: 2, lastDifference: 'Block 7: it is gone.' }
  expect(bodyOf({ audit: found }).warnings).toEqual([
    'local: 2 stored values differ from the chain, see chaintape audit --repair; the last: Block 7: it is gone.',
  ])
})

test('default: a live chain is ready without warnings', () => {
  expect(bodyOf({})).toMatchInlineSnapshot(`
    {
      "chains": {
        "local": {
          "audit": null,
          "database_error": null,
          "demo": false,
          "doubtful_blocks": 0,
          "failed_check": null,
          "finalized_block": 8,
          "first_block": 3,
          "head_age_s": 0,
          "head_block": 9,
          "head_time": 1760000000,
          "history_complete": true,
          "history_missing": [],
          "history_reading": null,
          "lag_blocks": 0,
          "lag_s": null,
          "newest_doubtful_block": null,
          "paused_reason": null,
          "persisted_block": 8,
          "queue_blocks": 1,
          "queue_blocks_max": 1024,
          "ready": true,
          "reason": null,
          "rpc_error": null,
          "start_block": 3,
          "state": "live",
          "tip_block": 9,
          "unresolved_pools": 0,
        },
      },
      "ready": true,
      "reasons": [],
      "warnings": [],
    }
  `)
})

test('behavior: not ready, with reasons, until every chain has a block', () => {
  const starting = { ...catchingUp, tipNumber: null }
  const { ready, reasons, chains } = bodyOf(starting, { hasHead: false })
  expect(ready).toBe(false)
  expect(reasons).toEqual(['local: no block is applied yet (no node has answered)'])
  expect(chains.local).toMatchObject({
    head_block: null,
    head_age_s: null,
    lag_blocks: null,
    reason: 'no block is applied yet (no node has answered)',
  })
  expect(bodyOf({ ...catchingUp, rpcError: 'refused' }, { hasHead: false }).reasons).toEqual([
    'local: no block is applied yet (refused)',
  ])
})

test('behavior: 503 until every chain was ready once, later a lag is a warning; a single chain reports its current state', () => {
  const lagReason = 'at block 9 of 900, 891 blocks and 791 s behind'
  const first = bodyOf({ state: 'catching_up', wasReady: false, lagReason, tipTimeS: nowS + 791 })
  expect(first).toMatchObject({ ready: false, reasons: [`local: ${lagReason}`], warnings: [] })
  const { ready, reason, state, lag_s } = first.chains.local!
  expect({ ready, reason, state, lag_s }).toEqual({
    ready: false,
    reason: lagReason,
    state: 'catching_up',
    lag_s: 791,
  })
  const lagging = { state: 'lagging', lagReason } as const
  expect(bodyOf(lagging)).toMatchObject({
    ready: true,
    reasons: [],
    warnings: [`local: lagging: ${lagReason}`],
    chains: { local: { ready: false, state: 'lagging', reason: lagReason } },
  })
  expect(bodyOf(lagging, { only: 'local' })).toMatchObject({
    ready: false,
    reasons: [`local: ${lagReason}`],
  })
  expect(bodyOf({}, { only: 'local' }).ready).toBe(true)
})

test('behavior: without chains the service is not ready', () => {
  const clock = { nowMs: () => 0 }
  expect(readyBody(new Map(), { clock, headAgeSMax: 1 })).toMatchObject({
    ready: false,
    reasons: ['No chain is running yet.'],
  })
})

test('behavior: problems of a ready service are warnings', () => {
  const fault = { summary: 'endpoint 1: forbidden', text: 'for the admin key' }
  const endpoints = [
    { name: '0:a', isHealthy: false, lastError: null },
    { name: '1:b', isHealthy: false, lastError: fault },
    { name: '2:c', isHealthy: true, lastError: fault },
  ]
  const trouble = {
    state: 'lagging',
    lagReason: '11 blocks behind',
    tipNumber: 20,
    queueBlocks: 1_024,
    pausedReason: 'the queue is full',
    databaseError: 'connection refused',
    rpcError: 'timeout',
    nodes: { error: 'for the admin key', endpoints },
    headWarnings: ['it falls behind the nodes'],
  } as const
  const { ready, warnings, chains } = bodyOf(trouble, { laterS: 500 })
  expect(ready).toBe(true)
  expect(chains.local).toMatchObject({
    ready: false,
    state: 'lagging',
    lag_blocks: 11,
    head_age_s: 500,
  })
  expect(warnings).toMatchInlineSnapshot(`
    [
      "local: lagging: 11 blocks behind",
      "local: the database does not answer: connection refused",
      "local: no node answers: timeout",
      "local: ingestion is paused: the queue is full",
      "local: 1024 of 1024 blocks wait for the database",
      "local: the newest block is 500 s old",
      "local: it falls behind the nodes",
      "local: an endpoint is used last: endpoint 0: no answer",
      "local: an endpoint is used last: endpoint 1: forbidden",
    ]
  `)
})

test('behavior: a check that every endpoint fails is a warning, and the reason why no block exists yet', () => {
  const failedCheck = 'every endpoint fails the check bloom since block 8'
  const { warnings, chains } = bodyOf({ failedCheck })
  expect(warnings).toEqual([`local: ${failedCheck}`])
  expect(chains.local!.failed_check).toBe(failedCheck)
  expect(bodyOf({ ...catchingUp, failedCheck }, { hasHead: false }).reasons).toEqual([
    `local: no block is applied yet (${failedCheck})`,
  ])
})

test('behavior: a head ahead of the clock has a negative age', () => {
  expect(bodyOf({}, { laterS: -500 }).chains.local!.head_age_s).toBe(-500)
})

test('behavior: unverified blocks are counted and reported', () => {
  const { warnings, chains } = bodyOf({ doubtful: { count: 3, newestNumber: 8 } })
  expect(chains.local).toMatchObject({ doubtful_blocks: 3, newest_doubtful_block: 8 })
  expect(warnings).toEqual(['local: 3 blocks are unverified, the newest is 8'])
})
