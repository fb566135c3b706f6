import { expect, test } from 'vitest'
import { createChain, genesis, pair, swap, sync } from '../../../../../test/support/marketChain.ts'
import { windowsS } from '../marketReads.ts'

const dayWindow = windowsS.length - 1

/** Token 4 was traded at 0.5 native coins of 2,000 USD; then the native coin rose to 3,000 without a trade of it. */
function createMovedChain() {
  const chain = createChain()
  chain.commit(genesis)
  chain.commit({ events: [swap(1, [-1, 1], [2_000, 1_000])] })
  chain.commit({ events: [sync(0, 1_000, 3_000_000)] })
  return chain
}

test('default: it follows the rate of the quote token, the same for a token and its main pair', () => {
  const { engine } = createMovedChain()
  expect(engine.tokenPrice(4)).toEqual({ usd: 1_500, native: 0.5 })
  expect(engine.pairPrice(1)).toEqual(engine.tokenPrice(4))
  expect(engine.tokenState(4).price).toMatchObject({ usd: 1_500, native: 0.5 })
  expect(engine.tokenWorth(4).priceUsd).toBe(1_500)
  expect(engine.pairState(1).price0Usd).toBe(1_500)
})

test('behavior: high and low of every window include it; changes and klines are of trades', () => {
  const { engine } = createMovedChain()
  const nowS = engine.head()!.timeS
  for (let window = 0; window < windowsS.length; window += 1)
    for (const { highUsd, lowUsd, changePercent } of [
      engine.pairWindow(1, window, nowS),
      engine.tokenWindow(4, window, nowS),
    ])
      expect({ highUsd, lowUsd, changePercent }).toEqual({
        highUsd: 1_500,
        lowUsd: 1_000,
        changePercent: 0,
      })
  expect(engine.openKline(1, 0)?.usd.close ?? engine.lastClose(1).usd).toBe(1_000)
})

test('behavior: the range of a day is that of its window, and holds as long', () => {
  const { engine } = createMovedChain()
  for (const nowS of [engine.head()!.timeS, engine.head()!.timeS + 90_000]) {
    const { highUsd, lowUsd, changesAtS } = engine.pairWindow(1, dayWindow, nowS)
    expect(engine.pairDayRange(1, nowS)).toEqual({ highUsd, lowUsd, changesAtS })
    expect(engine.tokenDayRange(4, nowS)).toEqual({ highUsd, lowUsd, changesAtS })
  }
})

test('behavior: a pair without a trade has its current price as high and low', () => {
  const { engine, commit } = createChain()
  commit(genesis)
  commit({ pairs: [pair(2, 5, 0)], events: [sync(2, 4_000, 1_000)] })
  const { highUsd, lowUsd } = engine.pairTrading(2, dayWindow, engine.head()!.timeS)
  expect([highUsd, lowUsd]).toEqual([500, 500])
})

test('behavior: the wrapped native token is worth what its main pair says, whatever other pools weigh', () => {
  const { engine, commit } = createChain()
  commit(genesis)
  commit({ pairs: [pair(2, 0, 1)], events: [sync(2, 500, 1_010_000)] })
  expect(engine.nativeUsd()).not.toBe(2_000)
  expect(engine.tokenState(0).mainPairId).toBe(0)
  expect(engine.tokenState(0).price).toMatchObject({ usd: 2_000, native: 1, routePairIds: [0] })
  expect(engine.pairState(0).price0Usd).toBe(2_000)
  // Tokens quoted in it are valued by the mean of all its pools.
  expect(engine.tokenPrice(4).usd).toBe(0.5 * engine.nativeUsd()!)
})
