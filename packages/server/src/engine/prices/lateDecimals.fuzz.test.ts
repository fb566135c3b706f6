// Two engines apply the same blocks: one knows all tokens from the start, the other gets some of
// them as late facts. For a pair with a quote asset, the second engine must report either nothing
// or exactly the values of the first.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BlockGenerator, generatorProfile } from '../../../../../test/support/blockGenerator.ts'
import { propertyRuns } from '../../../../../test/support/propertyRuns.ts'
import type { FinishedBlock } from '../../model/finishedBlock.ts'
import { klineIntervalsS } from '../../model/klines/kline.ts'
import type { SwapEvent } from '../../model/marketEvent.ts'
import type { TokenRecord } from '../../model/token.ts'
import { createEngine, type Engine } from '../engine.ts'

const quoteCount = generatorProfile.quotes.length
const createBoth = () => ({
  told: createEngine({ profile: generatorProfile }),
  late: createEngine({ profile: generatorProfile }),
})
const isQuote = (tokenId: number) => tokenId < quoteCount
const intervals = klineIntervalsS.map((_, interval) => interval)

/**
 * True if one token of the pair is a quote asset. Other pairs are priced through main pairs, whose
 * choice takes time.
 */
const hasQuote = (engine: Engine, pairId: number) => {
  const { token0Id, token1Id } = engine.pairRecord(pairId)
  return isQuote(token0Id) || isQuote(token1Id)
}

test('behavior: values that depend on unknown decimals are absent, all others are exact', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 2 ** 31 }),
      fc.array(fc.nat({ max: 5 }), { minLength: 1, maxLength: 60 }),
      (seed, waits) => {
        const { told, late } = createBoth()
        const generator = new BlockGenerator({ seed })
        const unknown = new Map<number, TokenRecord>()
        for (const wait of waits) {
          const block = generator.next()
          const hidden = hide(block, unknown)
          expectKnown(told, late, unknown, {
            told: swapsOf(told, block),
            late: swapsOf(late, hidden),
          })
          expectNothing(late, unknown)
          const first = [...unknown.values()].at(wait)
          if (first) tell(late, block, unknown, [first])
        }
        const block = generator.next()
        swapsOf(told, block)
        swapsOf(late, hide(block, unknown))
        const lastTold = new Set(unknown.keys())
        tell(late, block, unknown, [...unknown.values()])
        const rates = generatorProfile.quotes.map((_, id) => told.tokenState(id).price?.usd ?? 0)
        const last = generator.next()
        swapsOf(told, last)
        swapsOf(late, last)
        expectSame(told, late)
        expectLaunched(late, lastTold, rates)
      },
    ),
    { numRuns: propertyRuns(60) },
  )
})

/** The block as resolved while contracts of some tokens, chosen by id, do not answer. */
function hide(block: FinishedBlock, unknown: Map<number, TokenRecord>): FinishedBlock {
  const tokens = block.tokens.map((token) => {
    if (isQuote(token.id) || token.id % 3 === 0) return token
    unknown.set(token.id, token)
    return { ...token, symbol: '', name: '', decimals: 18 }
  })
  return { ...block, tokens }
}

function tell(
  engine: Engine,
  { ref: { number, hash } }: FinishedBlock,
  unknown: Map<number, TokenRecord>,
  tokens: readonly TokenRecord[],
): void {
  engine.apply({ type: 'late', facts: { ref: { number, hash }, tokens, supplies: [] } })
  for (const { id } of tokens) unknown.delete(id)
}

function swapsOf(engine: Engine, block: FinishedBlock): SwapEvent[] {
  const events = engine.apply({ type: 'commit', block })
  return events.filter((event) => event.type === 'swap')
}

function expectKnown(
  told: Engine,
  late: Engine,
  unknown: ReadonlyMap<number, TokenRecord>,
  swaps: { told: SwapEvent[]; late: SwapEvent[] },
): void {
  expect(swaps.late.length).toBe(swaps.told.length)
  swaps.late.forEach((swap, index) => {
    const { pairId } = swap.swap
    if (!hasQuote(late, pairId)) return
    const targetId = late.targetTokenOf(pairId)
    if (!unknown.has(targetId)) expect(swap).toEqual(swaps.told[index])
    else {
      const is0 = late.pairRecord(pairId).token0Id === targetId
      const hidden = is0
        ? { price0Usd: null, price0Native: null }
        : { price1Usd: null, price1Native: null }
      const quote = { ...swaps.told[index]!.quote, ...hidden, liquidityUsd: 0, liquidityNative: 0 }
      // The value of the trade is known, because its payment is an amount of the quote token.
      expect(swap).toEqual({ ...swaps.told[index]!, quote })
    }
    expect(late.pairTrading(pairId, 5, late.head()!.timeS).buyVolumeUsdE8).toBe(
      told.pairTrading(pairId, 5, told.head()!.timeS).buyVolumeUsdE8,
    )
  })
}

function expectNothing(late: Engine, unknown: ReadonlyMap<number, TokenRecord>): void {
  for (const tokenId of unknown.keys()) {
    const { price, launchPriceUsd, tvlUsd, pairIds } = late.tokenState(tokenId)
    expect({ price, launchPriceUsd, tvlUsd }).toEqual({
      price: null,
      launchPriceUsd: null,
      tvlUsd: 0,
    })
    for (const pairId of pairIds) {
      expect(late.pairState(pairId)).toMatchObject({ athUsd: null, tvlUsd: 0 })
      expect(late.pairDayOpenUsd(pairId, late.head()!.timeS)).toBeNull()
      for (const interval of intervals) expect(late.openKline(pairId, interval)).toBeNull()
    }
  }
}

/** Compares both engines after all tokens are known and one more block was applied. */
function expectSame(told: Engine, late: Engine): void {
  for (let pairId = 0; pairId < told.pairCount(); pairId += 1) {
    const { athUsd, ...pair } = late.pairState(pairId)
    const { athUsd: toldAthUsd, ...toldPair } = told.pairState(pairId)
    if (!hasQuote(told, pairId)) continue
    expect(pair).toEqual(toldPair)
    expect(athUsd ?? 0).toBeLessThanOrEqual(toldAthUsd ?? 0)
    for (const interval of intervals) {
      const kline = late.openKline(pairId, interval)
      if (kline === null) continue
      const { usd, volumeUsdE8, count } = told.openKline(pairId, interval)!
      expect(kline.usd.close).toBe(usd.close)
      expect(kline.usd.high).toBeLessThanOrEqual(usd.high)
      expect(kline.usd.low).toBeGreaterThanOrEqual(usd.low)
      expect(kline.count).toBeLessThanOrEqual(count)
      expect(kline.volumeUsdE8).toBeLessThanOrEqual(volumeUsdE8)
    }
  }
}

/** A token gets its launch price from its pool's state if the quote asset had a price by then. */
function expectLaunched(
  late: Engine,
  tokenIds: ReadonlySet<number>,
  rates: readonly number[],
): void {
  for (const tokenId of tokenIds)
    for (const pairId of late.tokenState(tokenId).pairIds) {
      const { record, targetTokenId, priceRaw } = late.pairState(pairId)
      const quoteId = record.token0Id === tokenId ? record.token1Id : record.token0Id
      if (targetTokenId !== tokenId || !record.isTrusted || !isQuote(quoteId)) continue
      if (priceRaw > 0 && rates[quoteId]! > 0)
        expect(late.tokenState(tokenId).launchPriceUsd).toBeGreaterThan(0)
    }
}
