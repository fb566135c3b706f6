// Compares a market that read all empty blocks with one that read only some of them, as happens
// with final history.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BlockGenerator, generatorProfile } from '../../../../test/support/blockGenerator.ts'
import { propertyRuns } from '../../../../test/support/propertyRuns.ts'
import type { FinishedBlock } from '../model/finishedBlock.ts'
import { readEndedKlines } from '../model/klines/endedKlines.ts'
import type { MarketEvent } from '../model/marketEvent.ts'
import { createEngine, type Engine } from './engine.ts'

const leadBlocks = 4
const leadS = 20
const options = {
  profile: generatorProfile,
  mainPairLeadS: leadS,
  mainPairLeadBlocksMin: leadBlocks,
  // So few checks that a movement of rates leaves tokens to judge after the following empty blocks.
  mainPairRateChecksMax: 2,
}

type Gap = { empty: number; read: readonly boolean[] }

const gaps = fc.array(
  fc.record({
    empty: fc.integer({ min: 0, max: 2 * leadBlocks }),
    read: fc.array(fc.boolean(), { minLength: 2 * leadBlocks, maxLength: 2 * leadBlocks }),
  }),
  { minLength: 10, maxLength: 60 },
)

type Streamed = { block: FinishedBlock; isRead: boolean }

/** Generated blocks with empty blocks between them, evenly spread in time. */
function createStream(seed: number, between: readonly Gap[]): Streamed[] {
  const generator = new BlockGenerator({ seed, eventsMax: 4 })
  const stream: Streamed[] = []
  let timeS = 0
  const push = (parts: Omit<FinishedBlock, 'ref'>, atS: number, isRead: boolean) => {
    const number = stream.length
    const parent = { parentNumber: number - 1, parentHash: `hash-${number - 1}` }
    const ref = { number, hash: `hash-${number}`, ...parent, timeS: atS }
    stream.push({ block: { ...parts, ref }, isRead })
  }
  for (const { empty, read } of between) {
    const { ref, ...parts } = generator.next()
    const nothing = { tokens: [], pairs: [], events: [], supplies: [], nativeUsd: null }
    if (stream.length > 0)
      for (let at = 0; at < empty; at += 1) {
        const atS = timeS + Math.floor(((ref.timeS - timeS) * (at + 1)) / (empty + 1))
        push({ ...nothing, receivedMs: 0 }, atS, read[at]!)
      }
    timeS = ref.timeS
    push(parts, timeS, true)
  }
  return stream
}

/** Removes the empty blocks that are not read, and links each remaining block to the one before. */
function withoutUnread(stream: readonly Streamed[]): FinishedBlock[] {
  const kept: FinishedBlock[] = []
  for (const { block, isRead } of stream) {
    if (!isRead) continue
    const parent = kept.at(-1)?.ref
    const { ref } = block
    const link = parent && { parentNumber: parent.number, parentHash: parent.hash }
    kept.push({ ...block, ref: { ...ref, ...link } })
  }
  return kept
}

function play(blocks: readonly FinishedBlock[]): { engine: Engine; events: MarketEvent[] } {
  const engine = createEngine(options)
  const events = blocks.flatMap((block) => engine.apply({ type: 'commit', block }))
  return { engine, events }
}

const ofType = (events: readonly MarketEvent[], type: MarketEvent['type']) =>
  events.filter((event) => event.type === type)

/** Ended klines as they are stored, whichever block ended them. */
const klinesOf = (events: readonly MarketEvent[]) =>
  events
    .flatMap((event) => (event.type === 'endedKlines' ? [...readEndedKlines(event)] : []))
    .sort(
      (a, b) => a.pairId - b.pairId || a.interval - b.interval || a.kline.startS - b.kline.startS,
    )

test('behavior: skipping empty blocks does not change the market', () => {
  let switchCount = 0
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 31 }), gaps, (seed, between) => {
      // The last block names its parent, so its parent must be read.
      const stream = createStream(seed, [...between, { empty: 0, read: [] }])
      const dense = play(stream.map(({ block }) => block))
      const sparse = play(withoutUnread(stream))
      const switches = ofType(dense.events, 'mainPair')
      switchCount += switches.length
      expect(ofType(sparse.events, 'mainPair')).toEqual(switches)
      for (const type of ['swap', 'liquidity', 'token', 'pair', 'supply', 'launch'] as const)
        expect(ofType(sparse.events, type)).toEqual(ofType(dense.events, type))
      expect(klinesOf(sparse.events)).toEqual(klinesOf(dense.events))
      expect(sparse.engine.stateHash()).toEqual(dense.engine.stateHash())
    }),
    { numRuns: propertyRuns(60) },
  )
  expect(switchCount).toBeGreaterThan(propertyRuns(20))
})
