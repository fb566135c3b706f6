// Blocks, reverts and passing time; the order that is kept up piece by piece against one made at once from the windows
// and the plain list of who traded what.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BlockGenerator, generatorProfile } from '../../../../../test/support/blockGenerator.ts'
import { runs } from '../../../../../test/support/runs.ts'
import type { FinishedBlock } from '../../model/finishedBlock.ts'
import { createEngine, type Engine } from '../engine.ts'
import { windowNames } from '../marketReads.ts'
import { quoteList } from './catalog.ts'

const dayWindow = windowNames.indexOf('24h')
const quotes = quoteList(generatorProfile)
const all = 10_000

type Traded = { pairId: number; wallet: string; timeS: number }

/** The swaps of a block. */
function tradedIn({ ref, events }: FinishedBlock): Traded[] {
  return events.flatMap((event) =>
    event.type === 'swap' ? [{ pairId: event.pairId, wallet: event.wallet, timeS: ref.timeS }] : [],
  )
}

function plainOrder(engine: Engine, trades: readonly Traded[], nowS: number): number[] {
  const dayStartS = (Math.floor(nowS / 60) + 1) * 60 - 86_400
  const today = trades.filter(({ timeS }) => timeS >= dayStartS)
  const found = new Map<number, { usdE8: bigint; wallets: Set<string>; changePercent: number }>()
  for (let pairId = 0; pairId < engine.pairCount(); pairId += 1) {
    const { record, targetTokenId } = engine.pairState(pairId)
    const quoteId = targetTokenId === record.token0Id ? record.token1Id : record.token0Id
    if (!record.isTrusted || !quotes.includes(engine.tokenRecord(quoteId).address)) continue
    const ofPair = today.filter((trade) => trade.pairId === pairId)
    if (ofPair.length === 0) continue
    const day = engine.pairTrading(pairId, dayWindow, nowS)
    const facts = found.get(targetTokenId) ?? { usdE8: 0n, wallets: new Set(), changePercent: 0 }
    facts.usdE8 += day.organicVolumeUsdE8
    for (const { wallet } of ofPair) facts.wallets.add(wallet)
    facts.changePercent = engine.tokenChange(targetTokenId, dayWindow, nowS) ?? 0
    found.set(targetTokenId, facts)
  }
  const scored = [...found].map(([tokenId, { usdE8, wallets, changePercent }]) => {
    const ageDays = (nowS - engine.tokenState(tokenId).launchedAtS) / 86_400
    const volume = Math.log(1 + Number(usdE8) / 1e8) / Math.LN2
    const makers = Math.log(1 + wallets.size) / Math.LN2
    const change = changePercent < -50 ? 0.75 : changePercent > 100 ? 1.5 : 1 + changePercent / 200
    const youth = 1 + 1 / (1 + ageDays)
    return { tokenId, score: volume * makers * change * youth }
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
  check: (nowS: number, trades: readonly Traded[]) => void,
): void {
  const generator = new BlockGenerator({ seed, wallets: 6, stepSMax: 3_000 })
  const blocks: Traded[][] = []
  let nowS = 0
  for (const { isForward, waitedS } of steps) {
    if (isForward || blocks.length < 2) {
      const block = generator.next()
      engine.apply({ type: 'commit', block })
      blocks.push(tradedIn(block))
    } else {
      engine.apply({ type: 'revert', ref: generator.revert() })
      blocks.pop()
    }
    nowS = Math.max(nowS + waitedS, engine.head()!.timeS)
    check(nowS, blocks.flat())
  }
}

test('behavior: the order is that of the windows', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 31 }), moves, (seed, steps) => {
      const engine = createEngine({ profile: generatorProfile, trendingAgeMaxS: 0 })
      play(seed, steps, engine, (nowS, trades) => {
        expect(engine.trending(nowS, 0, all)).toEqual(plainOrder(engine, trades, nowS))
      })
    }),
    { numRuns: runs(60) },
  )
})

test('args: trendingWorkMax: made by several calls, the order is the same in the end', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 31 }), moves, (seed, steps) => {
      const engine = createEngine({ profile: generatorProfile, trendingWorkMax: 3 })
      let laterS = 0
      play(seed, steps, engine, (headS, trades) => {
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
        expect(engine.trending(laterS, 0, all)).toEqual(plainOrder(engine, trades, laterS))
      })
    }),
    { numRuns: runs(40) },
  )
})

test('behavior: reading makes no piece of the next order, and the whole of it only where there is none to give', () => {
  const engine = createEngine({ profile: generatorProfile, trendingWorkMax: 3 })
  const generator = new BlockGenerator({ seed: 3, wallets: 6, stepSMax: 3 })
  const blocks: FinishedBlock[] = []
  const grow = () => {
    for (let left = 20; left > 0; left -= 1) {
      blocks.push(generator.next())
      engine.apply({ type: 'commit', block: blocks.at(-1)! })
    }
    return engine.head()!.timeS
  }
  const revert = () => {
    blocks.pop()
    engine.apply({ type: 'revert', ref: generator.revert() })
  }
  const plain = (atS: number) => plainOrder(engine, blocks.flatMap(tradedIn), atS)
  const nowS = grow()
  expect(engine.prepareTrending(nowS)).toBe('none')
  const first = engine.trending(nowS, 0, all)
  expect(first).toEqual(plain(nowS))
  expect(engine.prepareTrending(nowS)).toBe('fresh')
  expect(engine.prepareTrending(nowS + 5)).toBe('due')
  expect(engine.trending(nowS + 9, 0, all)).toEqual(first)
  expect(engine.prepareTrending(nowS + 10)).toBe('none')
  grow()
  revert()
  const laterS = nowS + 100_000
  expect(engine.prepareTrending(laterS)).toBe('none')
  expect(engine.trending(laterS, 0, all)).toEqual(plain(laterS))
  revert()
  expect(engine.prepareTrending(laterS)).toBe('due')
})

test('args: trendingPairsPerS: the more pairs an order has, the longer it is given out', () => {
  const engine = createEngine({ profile: generatorProfile, trendingPairsPerS: 0.25 })
  const generator = new BlockGenerator({ seed: 3, wallets: 6, stepSMax: 3 })
  for (let left = 20; left > 0; left -= 1) engine.apply({ type: 'commit', block: generator.next() })
  const nowS = engine.head()!.timeS
  const ranked = engine.trending(nowS, 0, all)
  expect(ranked.length).toBeGreaterThan(1)
  // Each pair has four seconds, and each token that is ranked has a pair.
  const ageS = 4 * ranked.length
  expect(engine.prepareTrending(nowS + ageS - 1)).toBe('fresh')
  expect(engine.trending(nowS + 2 * ageS - 1, 0, all)).toEqual(ranked)
})

test('behavior: an order that the market has outgrown is not given out, however young', () => {
  const engine = createEngine({ profile: generatorProfile, trendingAgeMaxS: 3_600 })
  const generator = new BlockGenerator({ seed: 3, wallets: 6, stepSMax: 3 })
  const blocks = [generator.next()]
  engine.apply({ type: 'commit', block: blocks[0]! })
  const nowS = engine.head()!.timeS + 1_000
  const first = engine.trending(nowS, 0, all)
  let isOther = false
  for (let left = 60; left > 0 && !isOther; left -= 1) {
    blocks.push(generator.next())
    engine.apply({ type: 'commit', block: blocks.at(-1)! })
    isOther = engine.trending(nowS, 0, all).length > first.length
  }
  expect(isOther).toBe(true)
  const trades = blocks.flatMap(tradedIn)
  expect(engine.trending(nowS, 0, all)).toEqual(plainOrder(engine, trades, nowS))
})
