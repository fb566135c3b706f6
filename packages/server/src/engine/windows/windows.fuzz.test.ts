// 1. A seed makes blocks; the engine applies them, with reverts between. 2. The swaps that stand in
// the end are kept in a plain list, with what the engine said each was worth. 3. Every window of
// every pair is computed again from that list with bigints, sets and no state, and compared.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BlockGenerator, generatorProfile } from '../../../../../test/support/blockGenerator.ts'
import { runs } from '../../../../../test/support/runs.ts'
import type { MarketEvent, SwapEvent } from '../../model/marketEvent.ts'
import { createEngine } from '../engine.ts'
import { type MarketWindow, windowsS } from '../marketReads.ts'

/** A swap as one of the pair's tokens sees it: who buys the target sells the quote. */
type Trade = { event: SwapEvent; timeS: number; side: 0 | 1; isBuy: boolean }

function bruteWindow(trades: readonly Trade[], window: number, nowS: number): MarketWindow {
  const lengthS = window < 2 ? 5 : 60
  const firstBucket = Math.floor(nowS / lengthS) - windowsS[window]! / lengthS + 1
  const inside = trades.filter(({ timeS }) => Math.floor(timeS / lengthS) >= firstBucket)
  const before = trades.filter(({ timeS }) => Math.floor(timeS / lengthS) < firstBucket)
  const isRoundTrip = (one: Trade) =>
    trades.some(
      ({ event, timeS }) =>
        event.swap.pairId === one.event.swap.pairId &&
        event.swap.wallet === one.event.swap.wallet &&
        event.isBuy !== one.event.isBuy &&
        Math.abs(timeS - one.timeS) <= 60,
    )
  const sum = (some: readonly Trade[]) =>
    some.reduce((total, { event }) => total + BigInt(event.amountUsdE8), 0n)
  const buys = inside.filter(({ isBuy }) => isBuy)
  const sells = inside.filter(({ isBuy }) => !isBuy)
  const wallets = (some: readonly Trade[]) =>
    new Set(some.map(({ event }) => event.swap.wallet)).size
  const priced = (some: readonly Trade[]) => some.map(priceUsd).filter((price) => price !== 0)
  const openUsd = priced(before).at(-1) ?? priced(inside)[0] ?? 0
  const closeUsd = priced(trades).at(-1) ?? 0
  const prices = [openUsd, ...priced(inside)].filter((price) => price !== 0)
  return {
    buyVolumeUsdE8: sum(buys),
    sellVolumeUsdE8: sum(sells),
    organicVolumeUsdE8: sum(inside.filter((trade) => !isRoundTrip(trade))),
    buyCount: buys.length,
    sellCount: sells.length,
    amountRaw: inside.reduce((total, { event, side }) => {
      const amount = side === 0 ? event.swap.amount0 : event.swap.amount1
      return total + (amount < 0n ? -amount : amount)
    }, 0n),
    makers: wallets(inside),
    buyers: wallets(buys),
    sellers: wallets(sells),
    highUsd: prices.length === 0 ? null : Math.max(...prices),
    lowUsd: prices.length === 0 ? null : Math.min(...prices),
    changePercent: openUsd === 0 ? null : (closeUsd / openUsd - 1) * 100,
    changesAtS: inside.reduce(
      (atS, { timeS }) => Math.min(atS, Math.floor(timeS / lengthS) * lengthS + windowsS[window]!),
      Number.POSITIVE_INFINITY,
    ),
  }
}

/** The last price before 00:00 UTC, or the day's first. */
function bruteDayOpenUsd(trades: readonly Trade[], nowS: number): number | null {
  const isEarlier = ({ timeS }: Trade) => new Date(timeS * 1_000) < new Date(midnight(nowS))
  const priced = trades.filter((trade) => priceUsd(trade) !== 0)
  const open = priced.findLast(isEarlier) ?? priced[0]
  return open === undefined ? null : priceUsd(open)
}

function midnight(nowS: number): string {
  return new Date(nowS * 1_000).toISOString().slice(0, 10)
}

function priceUsd({ event, side }: Trade): number {
  return (side === 0 ? event.quote.price0Usd : event.quote.price1Usd) ?? 0
}

/** Applies blocks and takes some back, with reads between; gives the trades that are left. */
function playTrades(
  generator: BlockGenerator,
  engine: ReturnType<typeof createEngine>,
  { moves, readEvery }: { moves: readonly boolean[]; readEvery: number },
): Trade[] {
  const stands: Trade[][] = []
  for (const [step, isForward] of moves.entries()) {
    if (readEvery > 0 && step > 0 && step % readEvery === 0) readAll(engine)
    // One move in eight takes the newest block back.
    if (!isForward && stands.length > 1 && stands.length % 4 === 0) {
      engine.apply({ type: 'revert', ref: generator.revert() })
      stands.pop()
      continue
    }
    const block = generator.next()
    const events = engine.apply({ type: 'commit', block })
    stands.push(tradesOf(events, block.ref.timeS, engine))
  }
  return stands.flat()
}

test('behavior: windows equal those computed from the list of swaps', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 2 ** 31 }),
      fc.array(fc.boolean(), { minLength: 5, maxLength: 120 }),
      fc.nat({ max: 100_000 }),
      // What a read keeps for the next must not show in it.
      fc.nat({ max: 3 }),
      (seed, moves, laterS, readEvery) => {
        const generator = new BlockGenerator({ seed, wallets: 6, stepSMax: 90 })
        const engine = createEngine({ profile: generatorProfile, windowExpiriesPerBlockMax: 3 })
        const trades = playTrades(generator, engine, { moves, readEvery })
        const headS = engine.head()!.timeS
        for (let pairId = 0; pairId < engine.pairCount(); pairId += 1) {
          const ofPair = trades.filter(({ event }) => event.swap.pairId === pairId)
          for (const nowS of [headS, headS + 7, headS + laterS]) {
            expect(engine.pairDayOpenUsd(pairId, nowS)).toBe(bruteDayOpenUsd(ofPair, nowS))
            for (let window = 0; window < windowsS.length; window += 1)
              expect(engine.pairWindow(pairId, window, nowS)).toEqual(
                bruteWindow(ofPair, window, nowS),
              )
          }
          expect(engine.pairWindow(pairId, 5, headS)).toMatchObject(
            engine.pairTrading(pairId, 5, headS),
          )
        }
      },
    ),
    { numRuns: runs(60) },
  )
})

test('behavior: a token has what its trusted pairs traded on either side, and the wallets of those it is the target of', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 2 ** 31 }),
      fc.array(fc.boolean(), { minLength: 20, maxLength: 60 }),
      fc.nat({ max: 100_000 }),
      fc.nat({ max: 3 }),
      (seed, moves, laterS, readEvery) => {
        const generator = new BlockGenerator({ seed, wallets: 5, stepSMax: 40 })
        const engine = createEngine({ profile: generatorProfile, windowExpiriesPerBlockMax: 3 })
        const trades = playTrades(generator, engine, { moves, readEvery }).filter(
          ({ event }) => engine.pairRecord(event.swap.pairId).isTrusted,
        )
        const headS = engine.head()!.timeS
        for (let tokenId = 0; tokenId < engine.tokenCount(); tokenId += 1)
          for (const nowS of [headS, headS + laterS]) compareToken(engine, trades, tokenId, nowS)
      },
    ),
    { numRuns: runs(40) },
  )
})

function compareToken(
  engine: ReturnType<typeof createEngine>,
  trades: readonly Trade[],
  tokenId: number,
  nowS: number,
): void {
  const tokenOf = ({ event }: Trade, side: 0 | 1) => {
    const { token0Id, token1Id } = engine.pairRecord(event.swap.pairId)
    return side === 0 ? token0Id : token1Id
  }
  const asTarget = trades.filter((trade) => tokenOf(trade, trade.side) === tokenId)
  const asQuote = trades
    .map((trade) => ({ ...trade, side: trade.side === 0 ? (1 as const) : (0 as const) }))
    .filter((trade) => tokenOf(trade, trade.side) === tokenId)
    .map((trade) => ({ ...trade, isBuy: !trade.isBuy }))
  const all = trades.flatMap((trade) => [
    ...asTarget.filter(({ event }) => event === trade.event),
    ...asQuote.filter(({ event }) => event === trade.event),
  ])
  const main = engine.mainPairOf(tokenId)
  for (let window = 0; window < windowsS.length; window += 1) {
    const { makers, buyers, sellers } = bruteWindow(asTarget, window, nowS)
    const { highUsd, lowUsd, changePercent } =
      main === null
        ? bruteWindow(asQuote, window, nowS)
        : engine.pairTrading(main, window, Math.max(nowS, engine.head()!.timeS))
    const expected = {
      ...bruteWindow(all, window, nowS),
      ...{ makers, buyers, sellers, highUsd, lowUsd, changePercent },
    }
    expect(engine.tokenWindow(tokenId, window, nowS)).toEqual(expected)
    expect(engine.tokenWindow(tokenId, window, nowS)).toMatchObject(
      engine.tokenTrading(tokenId, window, nowS),
    )
    expect(engine.tokenChange(tokenId, window, nowS)).toBe(changePercent)
  }
  const { buyVolumeUsdE8, sellVolumeUsdE8 } = bruteWindow(all, windowsS.length - 1, nowS)
  expect(engine.tokenDayVolumeUsd(tokenId, nowS)).toBe(
    Number(buyVolumeUsdE8 + sellVolumeUsdE8) / 1e8,
  )
  if (main === null)
    expect(engine.tokenDayOpenUsd(tokenId, nowS)).toBe(bruteDayOpenUsd(asQuote, nowS))
}

function readAll(engine: ReturnType<typeof createEngine>): void {
  const nowS = engine.head()!.timeS
  for (let window = 0; window < windowsS.length; window += 1) {
    for (let pairId = 0; pairId < engine.pairCount(); pairId += 1)
      engine.pairWindow(pairId, window, nowS)
    for (let tokenId = 0; tokenId < engine.tokenCount(); tokenId += 1)
      engine.tokenWindow(tokenId, window, nowS)
  }
}

function tradesOf(
  events: readonly MarketEvent[],
  timeS: number,
  engine: ReturnType<typeof createEngine>,
): Trade[] {
  return events.flatMap((event) => {
    if (event.type !== 'swap') return []
    const { record, targetTokenId } = engine.pairState(event.swap.pairId)
    const side = record.token0Id === targetTokenId ? (0 as const) : (1 as const)
    return [{ event, timeS, side, isBuy: event.isBuy }]
  })
}
