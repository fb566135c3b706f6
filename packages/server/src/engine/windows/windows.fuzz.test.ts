// 1. The engine applies random blocks, with reverts in between.
// 2. The swaps of blocks that stay are kept in a plain list, with the value that the engine gave to
// each.
// 3. Every window of every pair is computed again from that list with bigints and sets, and
// compared.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BlockGenerator, generatorProfile } from '../../../../../test/support/blockGenerator.ts'
import {
  type BruteForceTrade,
  bruteForceDayOpenUsd,
  bruteForceWindow,
  currentUsdOf,
  tradesOf,
} from '../../../../../test/support/bruteForceWindow.ts'
import { propertyRuns } from '../../../../../test/support/propertyRuns.ts'
import { createEngine } from '../engine.ts'
import { windowsS } from '../marketReads.ts'

/** Applies and reverts blocks, with reads in between. Returns the trades that were not reverted. */
function playTrades(
  generator: BlockGenerator,
  engine: ReturnType<typeof createEngine>,
  { moves, readEvery }: { moves: readonly boolean[]; readEvery: number },
): BruteForceTrade[] {
  const stands: BruteForceTrade[][] = []
  for (const [step, isForward] of moves.entries()) {
    if (readEvery > 0 && step > 0 && step % readEvery === 0) readAll(engine)
    // One move in eight reverts the newest block.
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
      // Number of moves between reads: data cached by one read must not change the next.
      fc.nat({ max: 3 }),
      (seed, moves, laterS, readEvery) => {
        const generator = new BlockGenerator({ seed, wallets: 6, stepSMax: 90 })
        const engine = createEngine({ profile: generatorProfile, windowExpiriesPerBlockMax: 3 })
        const trades = playTrades(generator, engine, { moves, readEvery })
        const headS = engine.head()!.timeS
        for (let pairId = 0; pairId < engine.pairCount(); pairId += 1) {
          const ofPair = trades.filter(({ event }) => event.swap.pairId === pairId)
          for (const nowS of [headS, headS + 7, headS + laterS]) {
            expect(engine.pairDayOpenUsd(pairId, nowS)).toBe(bruteForceDayOpenUsd(ofPair, nowS))
            for (let window = 0; window < windowsS.length; window += 1)
              expect(engine.pairWindow(pairId, window, nowS)).toEqual(
                bruteForceWindow(ofPair, window, nowS, currentUsdOf(engine, pairId)),
              )
          }
          expect(engine.pairWindow(pairId, 5, headS)).toMatchObject(
            engine.pairTrading(pairId, 5, headS),
          )
        }
      },
    ),
    { numRuns: propertyRuns(60) },
  )
})

test('behavior: windows of a token equal the trades and wallets of its trusted pairs on either side', () => {
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
    { numRuns: propertyRuns(40) },
  )
})

function compareToken(
  engine: ReturnType<typeof createEngine>,
  trades: readonly BruteForceTrade[],
  tokenId: number,
  nowS: number,
): void {
  const tokenOf = ({ event }: BruteForceTrade, side: 0 | 1) => {
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
  const currentUsd = engine.tokenFacts(tokenId).price?.usd ?? 0
  const isQuote = main === null || engine.targetTokenOf(main) !== tokenId
  for (let window = 0; window < windowsS.length; window += 1) {
    // A token with a main pair has the prices of its own series, which another test covers.
    const { highUsd, lowUsd, changePercent } = isQuote
      ? bruteForceWindow(asQuote, window, nowS, currentUsd)
      : engine.tokenTrading(tokenId, window, nowS)
    const expected = {
      ...bruteForceWindow(all, window, nowS, currentUsd),
      highUsd,
      lowUsd,
      changePercent,
    }
    expect(engine.tokenWindow(tokenId, window, nowS)).toEqual(expected)
    expect(engine.tokenWindow(tokenId, window, nowS)).toMatchObject(
      engine.tokenTrading(tokenId, window, nowS),
    )
  }
  const { buyVolumeUsdE8, sellVolumeUsdE8 } = bruteForceWindow(
    all,
    windowsS.length - 1,
    nowS,
    currentUsd,
  )
  expect(engine.tokenDayVolumeUsd(tokenId, nowS)).toBe(
    Number(buyVolumeUsdE8 + sellVolumeUsdE8) / 1e8,
  )
  if (isQuote)
    expect(engine.tokenDayOpenUsd(tokenId, nowS)).toBe(bruteForceDayOpenUsd(asQuote, nowS))
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
