// Each run generates a random world of tokens, pools and wallets. Blocks come from it one by one,
// with late facts between them, some of which bring decimals. Engine states are compared by hash,
// their events by value.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { BlockGenerator, generatorProfile } from '../../../../test/support/blockGenerator.ts'
import { propertyRuns } from '../../../../test/support/propertyRuns.ts'
import { PageFile } from '../lib/files/marketFiles.ts'
import type { LogEntry } from '../model/logEntry.ts'
import type { MarketEvent } from '../model/marketEvent.ts'
import { createEngine, type Engine, restoreEngine } from './engine.ts'

const options = {
  profile: generatorProfile,
  // Small limits, so that a run of a few dozen blocks reaches every limit.
  makersExactMax: 2,
  klineClosesPerBlockMax: 7,
  windowExpiriesPerBlockMax: 5,
  mainPairLeadS: 0,
  mainPairLeadBlocksMin: 3,
}

const seeds = fc.integer({ min: 0, max: 2 ** 31 })
const standInShare = 0.3

/** Creates a log of commits, late facts and reverts, as one chain would produce it. */
function createLog(
  seed: number,
  steps: readonly ('commit' | 'late' | 'revert')[],
  firstPools = 0,
): LogEntry[] {
  const numberStepMax = 1 + (seed % 9)
  const generator = new BlockGenerator({ seed, standInShare, numberStepMax, firstPools })
  const log: LogEntry[] = [{ type: 'commit', block: generator.next() }]
  let depth = 1
  for (const step of steps) {
    const facts = step === 'late' ? generator.late() : null
    if (step === 'revert' && depth > 1) {
      depth -= 1
      log.push({ type: 'revert', ref: generator.revert() })
    } else if (facts) log.push({ type: 'late', facts })
    else {
      depth += 1
      log.push({ type: 'commit', block: generator.next() })
    }
  }
  return log
}

const steps = (maxLength: number) =>
  fc.array(
    fc.oneof(
      { arbitrary: fc.constant('commit' as const), weight: 6 },
      { arbitrary: fc.constant('late' as const), weight: 2 },
      { arbitrary: fc.constant('revert' as const), weight: 2 },
    ),
    { maxLength },
  )

const applyAll = (engine: Engine, log: readonly LogEntry[]): MarketEvent[] =>
  log.flatMap((entry) => engine.apply(entry))

test('behavior: reverting blocks restores the earlier state', () => {
  fc.assert(
    fc.property(
      seeds,
      fc.nat({ max: 60 }),
      fc.integer({ min: 1, max: 40 }),
      (seed, kept, taken) => {
        const generator = new BlockGenerator({ seed, standInShare, numberStepMax: 1 + (seed % 9) })
        const engine = createEngine(options)
        const applyLate = () => {
          const facts = generator.late(0)
          if (facts) engine.apply({ type: 'late', facts })
        }
        for (let left = kept; left > 0; left -= 1) {
          engine.apply({ type: 'commit', block: generator.next() })
          if (left % 3 === 0) applyLate()
        }
        const hashes: string[] = []
        for (let left = taken; left > 0; left -= 1) {
          if (left % 2 === 0) applyLate()
          hashes.push(engine.stateHash())
          engine.apply({ type: 'commit', block: generator.next() })
        }
        while (hashes.length > 0) {
          const [first] = engine.apply({ type: 'revert', ref: generator.revert() })
          expect(first?.type).toBe('reverted')
          expect(engine.stateHash()).toBe(hashes.pop())
        }
      },
    ),
    { numRuns: propertyRuns(60) },
  )
})

test('behavior: late facts are reverted with their block only', () => {
  fc.assert(
    fc.property(seeds, steps(60), (seed, moves) => {
      const log = createLog(seed, moves)
      const engine = createEngine(options)
      applyAll(engine, log)
      const straight = createEngine(options)
      applyAll(straight, withoutReverts(log))
      expect(engine.stateHash()).toBe(straight.stateHash())
    }),
    { numRuns: propertyRuns(100) },
  )
})

/**
 * Rewrites a log as if the chain had no reorgs: only blocks that stay, each with its late facts.
 */
function withoutReverts(log: readonly LogEntry[]): LogEntry[] {
  const kept: LogEntry[] = []
  for (const entry of log)
    if (entry.type === 'revert') {
      const at = kept.findLastIndex(
        (other) => other.type === 'commit' && other.block.ref.hash === entry.ref.hash,
      )
      const rest = kept.splice(at)
      for (const other of rest)
        if (other.type === 'late' && other.facts.ref.hash !== entry.ref.hash) kept.push(other)
    } else kept.push(entry)
  return kept
}

test('behavior: two engines give the same events and the same state', () => {
  fc.assert(
    fc.property(seeds, steps(50), (seed, moves) => {
      const log = createLog(seed, moves)
      const first = createEngine(options)
      const second = createEngine(options)
      const events = applyAll(first, log)
      // The second engine is read between entries, because reads must change nothing.
      const others = log.flatMap((entry) => {
        const made = second.apply(entry)
        const nowS = (second.head()?.timeS ?? 0) + 100
        for (let tokenId = 0; tokenId < second.tokenCount(); tokenId += 1)
          second.tokenInterest(tokenId, nowS)
        for (let pairId = 0; pairId < second.pairCount(); pairId += 1)
          second.pairWindow(pairId, 5, nowS)
        second.search('token', 5)
        return made
      })
      expect(others).toEqual(events)
      expect(second.stateHash()).toBe(first.stateHash())
    }),
    { numRuns: propertyRuns(40) },
  )
})

test('behavior: a restart from a snapshot equals no restart', () => {
  fc.assert(
    fc.property(seeds, steps(40), steps(40), (seed, before, after) => {
      const log = createLog(seed, [...before, ...after])
      let cut = log.findLastIndex(
        (entry, index) => index <= before.length && isNeverReverted(log, entry, index),
      )
      // A snapshot may also be taken between late facts and the block that uses them.
      while (log[cut + 1]?.type === 'late') cut += 1
      const engine = createEngine(options)
      applyAll(engine, log.slice(0, cut + 1))
      const head = engine.head()
      if (head) engine.apply({ type: 'finalize', ref: head })
      const restored = restoreEngine(options, engine.snapshot())
      expect(restored.stateHash()).toBe(engine.stateHash())
      const rest = log.slice(cut + 1)
      expect(applyAll(restored, rest)).toEqual(applyAll(engine, rest))
      expect(restored.stateHash()).toBe(engine.stateHash())
      expect(restored.search('coin', 50)).toEqual(engine.search('coin', 50))
    }),
    { numRuns: propertyRuns(60) },
  )
})

/** True if no later entry reverts this one. */
function isNeverReverted(log: readonly LogEntry[], entry: LogEntry, index: number): boolean {
  if (entry.type !== 'commit') return false
  let depth = 0
  for (const next of log.slice(index + 1)) {
    if (next.type === 'commit') depth += 1
    if (next.type === 'revert') depth -= 1
    if (depth < 0) return false
  }
  return true
}

test('behavior: depth 0 keeps no undo and gives the same market', () => {
  fc.assert(
    fc.property(seeds, fc.integer({ min: 1, max: 60 }), (seed, count) => {
      const generator = new BlockGenerator({ seed, standInShare, numberStepMax: 1 + (seed % 9) })
      const engine = createEngine(options)
      const flat = createEngine({ ...options, profile: { ...generatorProfile, reorgDepthMax: 0 } })
      for (let left = count; left > 0; left -= 1) {
        const block = generator.next()
        expect(flat.apply({ type: 'commit', block })).toEqual(
          engine.apply({ type: 'commit', block }),
        )
        const facts = generator.late(0)!
        expect(flat.apply({ type: 'late', facts })).toEqual(engine.apply({ type: 'late', facts }))
      }
      expect(flat.stateHash()).toBe(engine.stateHash())
      expect(Buffer.concat([...flat.snapshot()]).length).toBeGreaterThan(0)
    }),
    { numRuns: propertyRuns(30) },
  )
})

test('behavior: a market that is partly on disk equals one in memory, through reverts and restarts', () => {
  const directory = mkdtempSync(join(tmpdir(), 'pages-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  let loads = 0
  class CountedFile extends PageFile {
    override read(page: number, to: Uint8Array): void {
      loads += 1
      super.read(page, to)
    }
  }
  fc.assert(
    fc.property(seeds, steps(60), fc.nat({ max: 60_000 }), (seed, moves, residentBytesMax) => {
      const log = createLog(seed, moves, 200)
      const due: (() => void)[] = []
      const paging = {
        residentBytesMax,
        openFile: (name: string, pageBytes: number) => new CountedFile(directory, name, pageBytes),
        schedule: (settle: () => void) => due.push(settle),
        onWriteError: (error: unknown) => expect.unreachable(String(error)),
      }
      const whole = createEngine(options)
      const paged = createEngine({ ...options, paging })
      const readAll = (engine: Engine) => {
        const nowS = (engine.head()?.timeS ?? 0) + 100
        const pairs = Array.from({ length: engine.pairCount() }, (_, id) => engine.pairState(id))
        const interests = Array.from({ length: engine.tokenCount() }, (_, id) =>
          engine.tokenInterest(id, nowS),
        )
        return [interests, pairs, engine.search('token', 20)]
      }
      for (const entry of log) {
        expect(paged.apply(entry)).toEqual(whole.apply(entry))
        for (const settle of due.splice(0)) settle()
        expect(readAll(paged)).toEqual(readAll(whole))
      }
      const hash = whole.stateHash()
      expect(paged.stateHash()).toBe(hash)
      const head = whole.head()!
      for (const engine of [whole, paged]) engine.apply({ type: 'finalize', ref: head })
      const restored = restoreEngine({ ...options, paging }, paged.snapshot())
      expect(restored.stateHash()).toBe(whole.stateHash())
    }),
    { numRuns: propertyRuns(40) },
  )
  expect(loads).toBeGreaterThan(1_000)
})

test('behavior: a market without indexes is the same', () => {
  fc.assert(
    fc.property(seeds, steps(30), (seed, given) => {
      const log = createLog(seed, given)
      const engines = [true, false].map((isIndexed) => createEngine({ ...options, isIndexed }))
      const [events, withoutIndex] = engines.map((engine) => applyAll(engine, log))
      expect(withoutIndex).toEqual(events)
      const [hash, hashWithout] = engines.map((engine) => engine.stateHash())
      expect(hashWithout).toBe(hash)
      const [, blind] = engines
      expect(() => blind!.findToken('0xa')).toThrow('addresses are indexed')
      expect(() => blind!.findPair('0xa')).toThrow('addresses are indexed')
      expect(() => blind!.search('abc', 1)).toThrow('words are indexed')
    }),
    { numRuns: propertyRuns(100) },
  )
})
