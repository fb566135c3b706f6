import assert from 'node:assert/strict'
import { expect, test } from 'vitest'
import { genesis, profile } from '../../../../../test/support/marketChain.ts'
import { createEngine } from '../../engine/engine.ts'
import { ImageDamagedError } from '../../engine/errors.ts'
import { encodeChanges } from '../../ledger/undo.ts'
import { createMetrics } from '../../lib/metrics.ts'
import type { EntryConsumer } from '../../model/logEntry.ts'
import type { BlockWrite } from '../../store/blockWrite.ts'
import { encodeCommitEntry } from '../pipeline/entrySender.ts'
import { createEntryApplier } from './applyEntries.ts'

// The fake writer's queue is never drained.
const limits = { aheadMax: 2, queueBlocksMax: 3, queueBytesMax: 1e9 }

function createApplied(
  consumers: readonly EntryConsumer[] = [],
  mayApply: (number: number) => boolean = () => true,
) {
  const engine = createEngine({ profile })
  const writes: BlockWrite[] = []
  const damages: string[] = []
  const acknowledged: number[] = []
  let hasFailed = false
  const applier = createEntryApplier({
    chain: profile.name,
    chainId: 1,
    engine,
    metrics: createMetrics(),
    cursor: { seq: 0, number: -1, hash: '' },
    writer: {
      append(write) {
        assert(!hasFailed)
        writes.push(write)
        return write.expectedSeq + write.entries.length
      },
      hasFailed: () => hasFailed,
      status: () => ({ queuedBlocks: writes.length, queuedBytes: 0, isFull: false }),
    },
    limits,
    mayApply,
    onAcknowledged: (count) => acknowledged.push(count),
    clock: { nowMs: () => 5_000_000 },
    consumers,
    onDamaged: ({ code }) => damages.push(code),
  })
  return {
    engine,
    writes,
    damages,
    acknowledged,
    proceed: applier.applyHeld,
    commit(number: number, parts = {}) {
      const ref = {
        number,
        hash: `h${number}`,
        parentNumber: number - 1,
        parentHash: `h${number - 1}`,
        timeS: 1_000 + number,
      }
      const rest = { tokens: [], pairs: [], events: [], supplies: [], nativeUsd: null, ...parts }
      const options = { changes: encodeChanges([]), isFinal: false, tipTimeS: 2_000 }
      applier.put([encodeCommitEntry({ ref, receivedMs: 0, ...rest }, options)])
    },
    fail() {
      hasFailed = true
    },
  }
}

test('default: applies and queues entries in order', () => {
  const { engine, writes, commit } = createApplied()
  commit(1, genesis)
  commit(2)
  expect(engine.head()?.number).toBe(2)
  expect(writes.map(({ expectedSeq, headAfter }) => [expectedSeq, headAfter])).toEqual([
    [0, { number: 1, hash: 'h1' }],
    [1, { number: 2, hash: 'h2' }],
  ])
})

test('behavior: notifies consumers in order, after the engine and the writer', () => {
  const seen: string[] = []
  const consumer = (name: string): EntryConsumer => ({
    name,
    onApplied: ({ chain, seq, entry, events }) =>
      seen.push(
        `${name} ${chain} ${seq} ${entry.type} ${events.length > 0} ${engine.head()?.number} ${writes.length}`,
      ),
  })
  const { engine, writes, commit } = createApplied(['recent', 'feed', 'prices'].map(consumer))
  commit(1, genesis)
  commit(2)
  expect(seen).toEqual([
    'recent local 1 commit true 1 1',
    'feed local 1 commit true 1 1',
    'prices local 1 commit true 1 1',
    'recent local 2 commit false 2 2',
    'feed local 2 commit false 2 2',
    'prices local 2 commit false 2 2',
  ])
})

test('behavior: applies nothing once the writer has failed', () => {
  const { engine, writes, commit, fail } = createApplied()
  commit(1, genesis)
  fail()
  commit(2)
  expect(engine.head()?.number).toBe(1)
  expect(writes).toHaveLength(1)
})

test('error: applies and stores nothing after image damage', () => {
  const { engine, writes, damages, commit } = createApplied()
  commit(1, genesis)
  const { apply } = engine
  engine.apply = () => {
    throw new ImageDamagedError({ file: 'local.image', what: 'pages of "pairs"', at: 0 })
  }
  commit(2)
  engine.apply = apply
  commit(2)
  expect([writes.length, damages]).toEqual([1, ['IMAGE_DAMAGED']])
})

test('behavior: entries after a held block wait in order and unacknowledged', () => {
  let heldNumber = 2
  const { writes, acknowledged, commit, proceed } = createApplied(
    [],
    (number) => number !== heldNumber,
  )
  const applied = () => writes.map(({ headAfter }) => headAfter.number)
  for (const number of [1, 2, 3]) commit(number, number === 1 ? genesis : {})
  proceed()
  expect([applied(), acknowledged]).toEqual([[1], [1]])
  heldNumber = 4
  commit(4)
  proceed()
  expect(applied()).toEqual([1, 2, 3])
})

test("behavior: does not acknowledge entries beyond the queue's room", () => {
  const { acknowledged, commit } = createApplied()
  commit(1, genesis)
  commit(2)
  commit(3)
  expect(acknowledged).toEqual([1])
})
