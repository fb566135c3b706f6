// Blocks, reverts and passing time; the order that is kept up piece by piece against one made at once from the windows.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BlockGenerator, generatorProfile } from '../../../../test/support/blockGenerator.ts'
import { quoteList } from './catalog.ts'
import { createEngine, type Engine } from './engine.ts'
import { windowNames } from './marketReads.ts'
import { trendingScore } from './trending.ts'

const dayWindow = windowNames.indexOf('24h')
const quotes = quoteList(generatorProfile)
const all = 10_000

function plainOrder(engine: Engine, nowS: number): number[] {
  const found = new Map<number, { organicUsd: number; makers: number; changePercent: number }>()
  for (let pairId = 0; pairId < engine.pairCount(); pairId += 1) {
    const { record, targetTokenId } = engine.pairState(pairId)
    const quoteId = targetTokenId === record.token0Id ? record.token1Id : record.token0Id
    if (!record.isTrusted || !quotes.includes(engine.tokenRecord(quoteId).address)) continue
    const day = engine.pairWindow(pairId, dayWindow, nowS)
    if (day.makers === 0) continue
    const facts = found.get(targetTokenId) ?? { organicUsd: 0, makers: 0, changePercent: 0 }
    facts.organicUsd += Number(day.organicVolumeUsdE8) / 1e8
    facts.makers += day.makers
    if (engine.mainPairOf(targetTokenId) === pairId) facts.changePercent = day.changePercent ?? 0
    found.set(targetTokenId, facts)
  }
  const scored = [...found].map(([tokenId, facts]) => {
    const ageS = nowS - engine.tokenState(tokenId).launchedAtS
    return { tokenId, score: trendingScore({ ...facts, ageS }) }
  })
  return scored
    .sort((a, b) => b.score - a.score || a.tokenId - b.tokenId)
    .map(({ tokenId }) => tokenId)
}

const moves = fc.array(
  fc.record({
    isForward: fc.integer({ min: 0, max: 5 }).map((n) => n > 0),
    waitedS: fc.oneof(fc.nat({ max: 20 }), fc.nat({ max: 50_000 })),
  }),
  { minLength: 5, maxLength: 60 },
)

/** Calls `check` after each block or revert, at times that never go back. */
function play(
  seed: number,
  steps: readonly { isForward: boolean; waitedS: number }[],
  engine: Engine,
  check: (nowS: number) => void,
): void {
  const generator = new BlockGenerator({ seed, wallets: 6, stepSMax: 3_000 })
  let blocks = 0
  let nowS = 0
  for (const { isForward, waitedS } of steps) {
    if (isForward || blocks < 2) {
      engine.apply({ type: 'commit', block: generator.next() })
      blocks += 1
    } else {
      engine.apply({ type: 'revert', ref: generator.revert() })
      blocks -= 1
    }
    nowS = Math.max(nowS + waitedS, engine.head()!.timeS)
    check(nowS)
  }
}

test('behavior: the order is that of the windows', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 31 }), moves, (seed, steps) => {
      const engine = createEngine({ profile: generatorProfile, trendingAgeMaxS: 0 })
      play(seed, steps, engine, (nowS) => {
        expect(engine.trending(nowS, 0, all)).toEqual(plainOrder(engine, nowS))
      })
    }),
    { numRuns: 60 },
  )
})

test('args: trendingWorkMax: made by several calls, the order is the same in the end', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 31 }), moves, (seed, steps) => {
      const engine = createEngine({ profile: generatorProfile, trendingWorkMax: 3 })
      let laterS = 0
      play(seed, steps, engine, (headS) => {
        // A piece of an order that blocks come into.
        laterS = Math.max(laterS + 5, headS)
        engine.prepareTrending(laterS)
        for (const tokenId of engine.trending(laterS, 0, all))
          expect(tokenId).toBeLessThan(engine.tokenCount())
        // Two orders of pieces alone: blocks may have come into the first one.
        for (let orders = 2; orders > 0; orders -= 1) {
          laterS += 5
          let state = engine.prepareTrending(laterS)
          for (let calls = 2 * engine.pairCount() + 1; calls > 0 && state !== 'fresh'; calls -= 1)
            state = engine.prepareTrending(laterS)
          expect(state).toBe('fresh')
        }
        expect(engine.trending(laterS, 0, all)).toEqual(plainOrder(engine, laterS))
      })
    }),
    { numRuns: 40 },
  )
})

test('behavior: reading makes no piece of the next order, and the whole of it only where there is none to give', () => {
  const engine = createEngine({ profile: generatorProfile, trendingWorkMax: 3 })
  const generator = new BlockGenerator({ seed: 3, wallets: 6, stepSMax: 3 })
  const grow = () => {
    for (let left = 20; left > 0; left -= 1)
      engine.apply({ type: 'commit', block: generator.next() })
    return engine.head()!.timeS
  }
  const nowS = grow()
  expect(engine.prepareTrending(nowS)).toBe('none')
  const first = engine.trending(nowS, 0, all)
  expect(first).toEqual(plainOrder(engine, nowS))
  expect(engine.prepareTrending(nowS)).toBe('fresh')
  expect(engine.prepareTrending(nowS + 5)).toBe('due')
  expect(engine.trending(nowS + 9, 0, all)).toEqual(first)
  expect(engine.prepareTrending(nowS + 10)).toBe('none')
  grow()
  engine.apply({ type: 'revert', ref: generator.revert() })
  const laterS = nowS + 100_000
  expect(engine.prepareTrending(laterS)).toBe('none')
  expect(engine.trending(laterS, 0, all)).toEqual(plainOrder(engine, laterS))
  engine.apply({ type: 'revert', ref: generator.revert() })
  expect(engine.prepareTrending(laterS)).toBe('due')
})

test('behavior: an order that the market has outgrown is not given out, however young', () => {
  const engine = createEngine({ profile: generatorProfile, trendingAgeMaxS: 3_600 })
  const generator = new BlockGenerator({ seed: 3, wallets: 6, stepSMax: 3 })
  engine.apply({ type: 'commit', block: generator.next() })
  const nowS = engine.head()!.timeS + 1_000
  const first = engine.trending(nowS, 0, all)
  let isOther = false
  for (let left = 60; left > 0 && !isOther; left -= 1) {
    engine.apply({ type: 'commit', block: generator.next() })
    isOther = engine.trending(nowS, 0, all).length > first.length
  }
  expect(isOther).toBe(true)
  expect(engine.trending(nowS, 0, all)).toEqual(plainOrder(engine, nowS))
})
