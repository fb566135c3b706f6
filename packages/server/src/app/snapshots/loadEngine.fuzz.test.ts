// Loading a log with reverts of any depth yields the same market as applying and reverting each
// block.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BlockGenerator, generatorProfile } from '../../../../../test/support/blockGenerator.ts'
import { propertyRuns } from '../../../../../test/support/propertyRuns.ts'
import { createEngine } from '../../engine/engine.ts'
import { createLogger } from '../../lib/logger.ts'
import { encodeEntry } from '../../log/entryCodec.ts'
import type { BlockRef } from '../../model/block.ts'
import type { LogEntry } from '../../model/logEntry.ts'
import type { StoredCursor } from '../../store/read/chains.ts'
import { createWarmMarket } from '../chain/warmMarket.ts'
import { type LogStore, loadEngine } from './loadEngine.ts'

type Step =
  | { type: 'commit' }
  | { type: 'late' }
  | { type: 'revert'; count: number }
  | { type: 'finalize'; count: number }

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof<fc.WeightedArbitrary<Step>[]>(
    { weight: 12, arbitrary: fc.constant({ type: 'commit' as const }) },
    { weight: 3, arbitrary: fc.constant({ type: 'late' as const }) },
    {
      weight: 2,
      arbitrary: fc.record({ type: fc.constant('revert' as const), count: fc.nat(30) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ type: fc.constant('finalize' as const), count: fc.nat(9) }),
    },
  ),
  { maxLength: 80 },
)

/** Builds a log from the plan, and returns the blocks that are canonical at its end. */
function logOf(seed: number, plan: readonly Step[]): { log: LogEntry[]; standing: BlockRef[] } {
  const generator = new BlockGenerator({ seed, eventsMax: 6, numberStepMax: 1 + (seed % 9) })
  const log: LogEntry[] = []
  const standing: BlockRef[] = []
  let finalCount = 0
  for (const step of plan) {
    if (step.type === 'commit') {
      const block = generator.next()
      standing.push(block.ref)
      log.push({ type: 'commit', block })
    } else if (step.type === 'late') {
      const facts = generator.late()
      if (facts !== null) log.push({ type: 'late', facts })
    } else if (step.type === 'finalize') {
      finalCount = Math.min(standing.length, finalCount + step.count)
      const ref = standing[finalCount - 1]
      if (ref !== undefined) log.push({ type: 'finalize', ref })
    } else
      for (let left = Math.min(step.count, standing.length - finalCount); left > 0; left -= 1) {
        standing.pop()
        log.push({ type: 'revert', ref: generator.revert() })
      }
  }
  return { log, standing }
}

function storeOf(log: readonly LogEntry[]): LogStore {
  const rows = log.map((entry, at) => ({ seq: at + 1, entry }))
  const hashOf = (entry: LogEntry) => {
    if (entry.type === 'commit') return entry.block.ref.hash
    if (entry.type === 'late') return entry.facts.ref.hash
    return entry.ref.hash
  }
  return {
    async *readSnapshots() {},
    newestSnapshotFormat: async () => 0,
    newestSnapshotSum: async () => null,
    async *readLog(_, fromSeq) {
      for (const { seq, entry } of rows)
        if (seq >= fromSeq) yield { seq, type: entry.type, bytes: encodeEntry(entry) }
    },
    async findReverted(_, fromSeq) {
      const places = rows
        .filter(({ seq, entry }) => seq >= fromSeq && entry.type !== 'finalize')
        .map(({ seq, entry }) => ({ seq, type: entry.type, number: 0, hash: hashOf(entry) }))
      const reverted = places.filter(({ type }) => type === 'revert').map(({ hash }) => hash)
      return places.filter(({ hash }) => reverted.includes(hash))
    },
  }
}

const logger = createLogger('silent')

test('behavior: loading equals applying and reverting each block, byte for byte', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 2 ** 31 }),
      steps,
      fc.integer({ min: 1, max: 4 }),
      async (seed, plan, reorgDepthMax) => {
        const { log, standing } = logOf(seed, plan)
        const profile = { ...generatorProfile, reorgDepthMax }
        const loaded = await loadEngine(storeOf(log), 1, profile, logger)
        const patient = createEngine({ profile: { ...profile, reorgDepthMax: 1_000 } })
        for (const entry of log) patient.apply(entry)
        expect(loaded.engine.stateHash()).toBe(patient.stateHash())
        expect(loaded.seq).toBe(log.length)
        expect([...loaded.recent.blocksFrom(0)].map(({ ref }) => ref)).toEqual(
          standing.slice(-reorgDepthMax),
        )

        // The loaded market can also revert the newest blocks.
        for (const ref of standing.slice(-reorgDepthMax).reverse()) {
          if (ref.number <= loaded.engine.finalizedNumber()) break
          loaded.engine.apply({ type: 'revert', ref })
          patient.apply({ type: 'revert', ref })
        }
        expect(loaded.engine.stateHash()).toBe(patient.stateHash())
      },
    ),
    { numRuns: propertyRuns(50) },
  )
})

test('behavior: a warm market equals a loaded one, by catchUp and by apply', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 2 ** 31 }),
      steps,
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.record({ count: fc.nat(12), isTold: fc.boolean() }), { maxLength: 30 }),
      async (seed, plan, reorgDepthMax, parts) => {
        const { log } = logOf(seed, plan)
        const profile = { ...generatorProfile, reorgDepthMax }
        const stored: LogEntry[] = []
        const store = {
          ...storeOf([]),
          readLog: (chainId: number, fromSeq: number) => storeOf(stored).readLog(chainId, fromSeq),
          findReverted: (chainId: number, fromSeq: number) =>
            storeOf(stored).findReverted(chainId, fromSeq),
          loadCursor: async () => ({ seq: stored.length }) as StoredCursor,
        }
        const warm = createWarmMarket({ store, chainId: 1, profile, logger })
        for (const { count, isTold } of [...parts, { count: log.length, isTold: false }]) {
          const next = log.slice(stored.length, stored.length + count)
          await warm.catchUp()
          if (isTold) warm.apply(next.map((entry) => ({ bytes: encodeEntry(entry) })))
          stored.push(...next)
        }
        const market = await warm.catchUp()
        const loaded = await loadEngine(store, 1, profile, logger)
        expect(market.seq).toBe(log.length)
        expect(market.engine.stateHash()).toBe(loaded.engine.stateHash())
        const newest = (recent: typeof market.recent) =>
          [...recent.blocksFrom(0)].map(({ ref }) => ref).slice(-reorgDepthMax)
        expect(newest(market.recent)).toEqual(newest(loaded.recent))
      },
    ),
    { numRuns: propertyRuns(50) },
  )
})

test('behavior: reloads a market that is ahead of the store', async () => {
  const { log } = logOf(
    1,
    Array.from({ length: 12 }, (): Step => ({ type: 'commit' })),
  )
  const profile = { ...generatorProfile, reorgDepthMax: 4 }
  let stored: readonly LogEntry[] = log
  const store = {
    ...storeOf([]),
    readLog: (chainId: number, fromSeq: number) => storeOf(stored).readLog(chainId, fromSeq),
    findReverted: (chainId: number, fromSeq: number) =>
      storeOf(stored).findReverted(chainId, fromSeq),
    loadCursor: async () => ({ seq: stored.length }) as StoredCursor,
  }
  const warm = createWarmMarket({ store, chainId: 1, profile, logger })
  expect((await warm.catchUp()).seq).toBe(log.length)
  stored = log.slice(0, -3)
  expect((await warm.catchUp()).seq).toBe(log.length - 3)
})
