// 1. The engine applies random blocks with launch curves, graduations and pools that overtake each
// other, with reverts and one restart.
// 2. Swaps of blocks that stay form a plain list, from which those on each token's main pair of the
// time are selected.
// 3. Windows and klines of every token are computed from that list and compared.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BlockGenerator, generatorProfile } from '../../../../../test/support/blockGenerator.ts'
import {
  type BruteForceTrade,
  bruteForceDayOpenUsd,
  bruteForceWindow,
  currentUsdOf,
  priceUsd,
  tradesOf,
} from '../../../../../test/support/bruteForceWindow.ts'
import { propertyRuns } from '../../../../../test/support/propertyRuns.ts'
import { readEndedKlines } from '../../model/klines/endedKlines.ts'
import { type Kline, klineIntervalsS, klineStartS } from '../../model/klines/kline.ts'
import type { MarketEvent } from '../../model/marketEvent.ts'
import { createEngine, type Engine, restoreEngine } from '../engine.ts'
import { windowsS } from '../marketReads.ts'

const options = {
  profile: generatorProfile,
  mainPairLeadS: 0,
  mainPairLeadBlocksMin: 2,
  mainPairLeadRatio: 1.01,
  windowExpiriesPerBlockMax: 3,
}

type PlayedBlock = { events: MarketEvent[]; trades: BruteForceTrade[] }

type Played = { engine: Engine; blocks: PlayedBlock[] }

function play(seed: number, moves: readonly boolean[], restartAt: number): Played {
  const generator = new BlockGenerator({ seed, wallets: 5, stepSMax: 40, eventsMax: 8 })
  let engine = createEngine(options)
  const blocks: PlayedBlock[] = []
  for (const [step, isForward] of moves.entries()) {
    if (step === restartAt && blocks.length > 0) {
      engine.apply({ type: 'finalize', ref: engine.head()! })
      engine = restoreEngine(options, engine.snapshot())
    }
    // Blocks before the restart are final and cannot be reverted.
    if (!isForward && step > restartAt + 4 && blocks.length > restartAt + 4) {
      engine.apply({ type: 'revert', ref: generator.revert() })
      blocks.pop()
      continue
    }
    const block = generator.next()
    const events = engine.apply({ type: 'commit', block })
    blocks.push({ events, trades: tradesOf(events, block.ref.timeS, engine) })
  }
  return { engine, blocks }
}

type Marked = { trades: BruteForceTrade[]; switches: number }

/**
 * Trades that set a token's price: those of its first main pair until another takes over, then
 * those of that pair.
 */
function seriesOf({ engine, blocks }: Played, tokenId: number): Marked {
  const switchesOf = ({ events }: PlayedBlock) =>
    events.flatMap((event) => (event.type === 'mainPair' && event.tokenId === tokenId ? event : []))
  const switches = blocks.flatMap(switchesOf)
  let main = switches[0]?.oldPairId ?? engine.mainPairOf(tokenId)!
  const trades: BruteForceTrade[] = []
  for (const block of blocks) {
    const waiting = switchesOf(block)
    for (const event of block.events) {
      // A graduated pool takes over at once; other pairs take over at the end of the block.
      const isOut = event.type === 'launch' && event.state === 'graduated'
      if (isOut && event.tokenId === tokenId && waiting[0]?.isGraduation)
        main = waiting.shift()!.newPairId
      if (event.type === 'swap' && event.swap.pairId === main)
        trades.push(block.trades.find((trade) => trade.event === event)!)
    }
    for (const { newPairId } of waiting) main = newPairId
  }
  return { trades, switches: switches.length }
}

/** The stored klines of a token, joined from its parts. */
function keptKlines({ engine, blocks }: Played, tokenId: number, interval: number): Kline[] {
  const intervalS = klineIntervalsS[interval]!
  const { parts } = engine.tokenSeries(tokenId)!
  const ended = blocks.flatMap(({ events }) =>
    events.flatMap((event) => (event.type === 'endedKlines' ? [...readEndedKlines(event)] : [])),
  )
  return parts.flatMap(({ id, fromS }, place) => {
    const nextS = parts[place + 1]?.fromS ?? Number.POSITIVE_INFINITY
    const own = ended.filter(({ pairId, interval: of }) => pairId === id && of === interval)
    const open = engine.openKline(id, interval)
    return [...own.map(({ kline }) => kline), ...(open === null ? [] : [open])].filter(
      ({ startS }) =>
        startS >= klineStartS(fromS, intervalS) &&
        (nextS === Number.POSITIVE_INFINITY || startS < klineStartS(nextS, intervalS)),
    )
  })
}

function bruteKlines(trades: readonly BruteForceTrade[], intervalS: number): Partial<Kline>[] {
  const klines: {
    startS: number
    prices: number[]
    open: number
    volume: bigint
    count: number
  }[] = []
  let last = 0
  for (const trade of trades) {
    const startS = klineStartS(trade.timeS, intervalS)
    let kline = klines.at(-1)
    if (kline?.startS !== startS) {
      kline = { startS, prices: last === 0 ? [] : [last], open: 0, volume: 0n, count: 0 }
      klines.push(kline)
    }
    const price = priceUsd(trade)
    if (price !== 0) kline.prices.push(price)
    kline.volume += BigInt(trade.event.amountUsdE8)
    kline.count += 1
    last = price === 0 ? last : price
  }
  return klines.map(({ startS, prices, volume, count }) => ({
    startS,
    usd: {
      open: prices[0] ?? 0,
      high: Math.max(0, ...prices),
      low: prices.length === 0 ? 0 : Math.min(...prices),
      close: prices.at(-1) ?? 0,
    },
    volumeUsdE8: volume,
    count,
  }))
}

/**
 * True if all main pairs of the token are recorded: it was the target of the first, and no separate
 * part of its curve precedes it.
 */
function isRecorded(engine: Engine, tokenId: number): boolean {
  const main = engine.mainPairOf(tokenId)
  if (main === null || engine.targetTokenOf(main) !== tokenId) return false
  const { parts, periods } = engine.tokenSeries(tokenId)!
  // A curve that was not the main pair when it graduated is joined without a switch.
  if (periods.length === 0 && parts.some(({ id }) => id !== main)) return false
  return parts[0]!.id >= 0 && parts.every(({ startsWithWholeBucket }) => startsWithWholeBucket)
}

test('behavior: prices of a token follow every switch of its main pair', () => {
  let switchCount = 0
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 2 ** 31 }),
      fc.array(
        fc.integer({ min: 0, max: 5 }).map((n) => n > 0),
        { minLength: 40, maxLength: 90 },
      ),
      fc.nat({ max: 60 }),
      fc.nat({ max: 100_000 }),
      (seed, moves, restartAt, laterS) => {
        const played = play(seed, moves, restartAt)
        const { engine } = played
        const headS = engine.head()!.timeS
        for (let tokenId = 0; tokenId < engine.tokenCount(); tokenId += 1) {
          const shown = engine.tokenSeries(tokenId)
          const hasTraded = shown !== null && engine.pairState(shown.mainPairId).firstTradeAtS > 0
          if (hasTraded) expect(shown.firstTradeAtS).toBeGreaterThan(0)
          if (!isRecorded(engine, tokenId)) continue
          const { trades, switches } = seriesOf(played, tokenId)
          switchCount += switches
          // The current price of a token is that of its main pair.
          const currentUsd = currentUsdOf(engine, engine.mainPairOf(tokenId)!)
          expect(engine.tokenFacts(tokenId).price?.usd ?? 0).toBe(currentUsd)
          if (trades.length > 0) {
            const { firstTradeAtS, periods } = engine.tokenSeries(tokenId)!
            expect(firstTradeAtS).toBeGreaterThan(0)
            expect(firstTradeAtS).toBeLessThanOrEqual(trades[0]!.timeS)
            if (periods.length < 2) expect(firstTradeAtS).toBe(trades[0]!.timeS)
          }
          expect(engine.tokenFacts(tokenId).athUsd ?? 0).toBe(Math.max(0, ...trades.map(priceUsd)))
          for (const nowS of [headS, headS + laterS]) {
            expect(engine.tokenDayOpenUsd(tokenId, nowS)).toBe(bruteForceDayOpenUsd(trades, nowS))
            for (let window = 0; window < windowsS.length; window += 1) {
              const { highUsd, lowUsd, changePercent } = bruteForceWindow(
                trades,
                window,
                nowS,
                currentUsd,
              )
              expect(engine.tokenWindow(tokenId, window, nowS)).toMatchObject({
                highUsd,
                lowUsd,
                changePercent,
              })
            }
          }
          for (const [interval, intervalS] of klineIntervalsS.entries())
            expect(keptKlines(played, tokenId, interval)).toMatchObject(
              bruteKlines(trades, intervalS),
            )
        }
      },
    ),
    { numRuns: propertyRuns(60) },
  )
  expect(switchCount).toBeGreaterThan(propertyRuns(60) / 3)
})

test('behavior: a stablecoin that is never a target has klines from its main pair at price 1', () => {
  let count = 0
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 2 ** 31 }),
      fc.array(fc.boolean(), { minLength: 20, maxLength: 60 }),
      (seed, moves) => {
        const played = play(seed, moves, 0)
        const { engine, blocks } = played
        const tokenId = engine.findToken('token-1')!
        const main = engine.mainPairOf(tokenId)
        if (main === null) return
        expect(engine.targetTokenOf(main)).not.toBe(tokenId)
        // The token has a main pair from the end of the block in which that pair first had a price.
        const quoted = blocks.flatMap((block, at) => {
          const mains = blocks.slice(at).flatMap(({ events }) => events)
          const next = mains.find((event) => event.type === 'mainPair' && event.tokenId === tokenId)
          const then = next?.type === 'mainPair' ? next.oldPairId : main
          return block.trades.filter(({ event }) => event.swap.pairId === then)
        })
        const first = blocks.find(({ trades }) => trades.includes(quoted[0]!))
        const late = quoted.filter((trade) => !first?.trades.includes(trade))
        for (const [interval, intervalS] of klineIntervalsS.entries()) {
          const klines = keptKlines(played, tokenId, interval)
          const counted = klines.reduce((sum, kline) => sum + kline.count, 0)
          expect([quoted.length, late.length]).toContain(counted)
          for (const { usd, startS } of klines) {
            expect(usd).toEqual({ open: 1, high: 1, low: 1, close: 1 })
            expect(startS).toBe(klineStartS(startS, intervalS))
          }
          count += counted
        }
      },
    ),
    { numRuns: propertyRuns(30) },
  )
  expect(count).toBeGreaterThan(3 * propertyRuns(30))
})
