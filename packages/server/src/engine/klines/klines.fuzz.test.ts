// 1. The engine applies randomly generated blocks.
// 2. All klines are built again from the swaps, pair by pair and interval by interval.
// 3. Each kline must have been closed exactly once, or be open now.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BlockGenerator, generatorProfile } from '../../../../../test/support/blockGenerator.ts'
import { propertyRuns } from '../../../../../test/support/propertyRuns.ts'
import { type EndedKline, readEndedKlines } from '../../model/klines/endedKlines.ts'
import { type Kline, klineIntervalsS, klineStartS } from '../../model/klines/kline.ts'
import type { SwapEvent } from '../../model/marketEvent.ts'
import { createEngine } from '../engine.ts'

type Trade = { event: SwapEvent; timeS: number; usd: number; native: number }

function run(seed: number, blocks: number, klineClosesPerBlockMax: number) {
  const generator = new BlockGenerator({ seed, stepSMax: 40 })
  const engine = createEngine({ profile: generatorProfile, klineClosesPerBlockMax })
  const trades: Trade[] = []
  const closed: EndedKline[] = []
  for (let left = blocks; left > 0; left -= 1) {
    const block = generator.next()
    const opened = new Set<number>()
    for (const event of engine.apply({ type: 'commit', block })) {
      if (event.type === 'swap') {
        const { record, targetTokenId } = engine.pairState(event.swap.pairId)
        const is0 = record.token0Id === targetTokenId
        const { quote } = event
        trades.push({
          event,
          timeS: block.ref.timeS,
          usd: (is0 ? quote.price0Usd : quote.price1Usd) ?? 0,
          native: (is0 ? quote.price0Native : quote.price1Native) ?? 0,
        })
      }
      if (event.type === 'endedKlines') closed.push(...readEndedKlines(event))
      if (event.type !== 'openKlines') continue
      expect(opened.has(event.pairId)).toBe(false)
      opened.add(event.pairId)
    }
  }
  return { engine, trades, closed }
}

function bruteKlines(trades: readonly Trade[], interval: number): Kline[] {
  const klines: Kline[] = []
  let usd = 0
  let native = 0
  for (const trade of trades) {
    const startS = klineStartS(trade.timeS, klineIntervalsS[interval]!)
    if (klines.at(-1)?.startS !== startS)
      klines.push({
        startS,
        usd: { open: usd, high: usd, low: usd, close: usd },
        native: { open: native, high: native, low: native, close: native },
        volumeUsdE8: 0n,
        volumeNativeRaw: 0n,
        count: 0,
      })
    const kline = klines.at(-1)!
    for (const [ohlc, price] of [
      [kline.usd, trade.usd] as const,
      [kline.native, trade.native] as const,
    ]) {
      if (price === 0) continue
      if (ohlc.open === 0) Object.assign(ohlc, { open: price, high: price, low: price })
      ohlc.high = Math.max(ohlc.high, price)
      ohlc.low = Math.min(ohlc.low, price)
      ohlc.close = price
    }
    kline.volumeUsdE8 += BigInt(trade.event.amountUsdE8)
    kline.volumeNativeRaw += trade.event.amountNativeRaw
    kline.count += 1
    usd = kline.usd.close
    native = kline.native.close
  }
  return klines
}

test('behavior: klines equal those built from swaps, and each closes once', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 2 ** 31 }),
      fc.integer({ min: 1, max: 80 }),
      fc.integer({ min: 1, max: 60 }),
      (seed, blocks, closesMax) => {
        const { engine, trades, closed } = run(seed, blocks, closesMax)
        for (let pairId = 0; pairId < engine.pairCount(); pairId += 1) {
          const ofPair = trades.filter(({ event }) => event.swap.pairId === pairId)
          klineIntervalsS.forEach((_, interval) => {
            const open = engine.openKline(pairId, interval)
            const ended = closed.filter(
              (event) => event.pairId === pairId && event.interval === interval,
            )
            const got = [...ended.map(({ kline }) => kline), ...(open ? [open] : [])]
            expect(got).toEqual(bruteKlines(ofPair, interval))
          })
        }
      },
    ),
    { numRuns: propertyRuns(50) },
  )
})

test('behavior: a longer kline is the sum of its shorter ones', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 31 }), (seed) => {
      const { engine, closed } = run(seed, 60, 5_000)
      for (let pairId = 0; pairId < engine.pairCount(); pairId += 1) {
        const of = (interval: number) => {
          const open = engine.openKline(pairId, interval)
          const ended = closed.filter(
            (event) => event.pairId === pairId && event.interval === interval,
          )
          return [...ended.map(({ kline }) => kline), ...(open ? [open] : [])]
        }
        for (let interval = 1; interval < klineIntervalsS.length; interval += 1)
          for (const long of of(interval)) {
            const endS = long.startS + klineIntervalsS[interval]!
            const shorts = of(interval - 1).filter(
              ({ startS }) => startS >= long.startS && startS < endS,
            )
            const total = (pick: (kline: Kline) => bigint) =>
              shorts.reduce((sum, kline) => sum + pick(kline), 0n)
            expect(long.volumeUsdE8).toBe(total((kline) => kline.volumeUsdE8))
            expect(long.volumeNativeRaw).toBe(total((kline) => kline.volumeNativeRaw))
            expect(long.count).toBe(shorts.reduce((sum, { count }) => sum + count, 0))
            expect(long.usd.high).toBe(Math.max(...shorts.map(({ usd }) => usd.high)))
            expect(long.usd.close).toBe(shorts.at(-1)!.usd.close)
          }
      }
    }),
    { numRuns: propertyRuns(40) },
  )
})
