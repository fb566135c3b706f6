// Compares a market restored from an image with a market that never stopped.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { BlockGenerator, generatorProfile } from '../../../../../test/support/blockGenerator.ts'
import { joinChunks } from '../../../../../test/support/imagedParts.ts'
import { propertyRuns } from '../../../../../test/support/propertyRuns.ts'
import { PageFile } from '../../lib/files/marketFiles.ts'
import { createEngine, type Engine, restoreEngine, restoreImage } from '../engine.ts'
import { questionKinds } from '../openQuestions.ts'

const options = {
  profile: generatorProfile,
  makersExactMax: 2,
  mainPairLeadS: 0,
  mainPairLeadBlocksMin: 3,
  // So small that depths of tokens with more pairs are stored in the image.
  tokenPairsReadMax: 2,
}

function sourceOf(parts: Iterable<Uint8Array>) {
  const bytes = joinChunks(parts)
  let reads = 0
  return {
    name: 'test.image',
    size: bytes.length,
    onDamaged: (error: Error) => expect.unreachable(error.message),
    read(at: number, to: Uint8Array) {
      reads += 1
      expect(bytes.copy(to, 0, at, at + to.length)).toBe(to.length)
    },
    reads: () => reads,
  }
}

/** All reads of a market that depend on restored data. */
function readAll(engine: Engine) {
  const nowS = (engine.head()?.timeS ?? 0) + 100
  const tokens = Array.from({ length: engine.tokenCount() }, (_, id) => {
    const record = engine.tokenRecord(id)
    expect(engine.findToken(record.address)).toBe(id)
    return [
      record,
      engine.tokenSupply(id),
      engine.tokenInterest(id, nowS),
      engine.tokenPairs(id, 5),
      engine.search(record.symbol, 5),
    ]
  })
  const pairs = Array.from({ length: engine.pairCount() }, (_, id) => {
    const state = engine.pairState(id)
    expect(engine.findPair(state.record.address)).toBe(id)
    return state
  })
  const open = questionKinds.map((kind) => engine.openQuestions(kind))
  return [tokens, pairs, open, engine.search('token', 20)]
}

/** Applies blocks and late facts to all engines, and reverts some of the blocks. */
function goOn(generator: BlockGenerator, engines: readonly Engine[], steps: readonly string[]) {
  const [first, ...others] = engines
  let depth = 0
  for (const step of steps) {
    const facts = step === 'late' ? generator.late() : null
    const entry =
      step === 'revert' && depth > 0
        ? ({ type: 'revert', ref: generator.revert() } as const)
        : facts
          ? ({ type: 'late', facts } as const)
          : ({ type: 'commit', block: generator.next() } as const)
    if (entry.type !== 'late') depth += entry.type === 'commit' ? 1 : -1
    const events = first!.apply(entry)
    for (const other of others) expect(other.apply(entry)).toEqual(events)
  }
  const ref = first!.head()!
  for (const engine of engines) engine.apply({ type: 'finalize', ref })
}

const steps = fc.array(fc.constantFrom('commit', 'commit', 'commit', 'late', 'revert'), {
  minLength: 2,
  maxLength: 25,
})

test('behavior: a market restored from an image of an image equals one that never stopped, through reverts', () => {
  const directory = mkdtempSync(join(tmpdir(), 'pages-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const given = { seed: fc.integer({ min: 0, max: 2 ** 31 }), bytes: fc.nat({ max: 60_000 }) }
  fc.assert(
    fc.property(given.seed, given.bytes, steps, steps, steps, (seed, bytes, ...rounds) => {
      const paging = {
        residentBytesMax: bytes,
        openFile: (name: string, pageBytes: number) => new PageFile(directory, name, pageBytes),
        schedule: () => undefined,
        onWriteError: (error: unknown) => expect.unreachable(String(error)),
      }
      const generator = new BlockGenerator({ seed, standInShare: 0.3, firstPools: 100 })
      const whole = createEngine(options)
      let imaged = createEngine({ ...options, paging })
      for (const round of rounds) {
        goOn(generator, [whole, imaged], ['commit', ...round])
        const hash = whole.stateHash()
        const source = sourceOf(imaged.image())
        imaged = restoreImage({ ...options, paging }, source)
        expect(imaged.stateHash()).toBe(hash)
        // A fresh engine, because the engine that never stopped may still have cached earlier
        // reads.
        const fresh = restoreEngine(options, whole.snapshot())
        expect(readAll(imaged)).toEqual(readAll(fresh))
        expect(source.reads()).toBeGreaterThan(0)
      }
    }),
    { numRuns: propertyRuns(15) },
  )
})
