import { expect, test } from 'vitest'
import { createChain, genesis, pair, swap, sync } from '../../../../../test/support/marketChain.ts'
import { windowsS } from '../marketReads.ts'

const dayWindow = windowsS.length - 1

/**
 * A market in which token 4 was traded at 0.5 native coins of 2,000 USD. Then the native coin rose
 * to 3,000 USD without a trade of the token.
 */
function createMovedChain() {
  const chain = createChain()
  chain.commit(genesis)
  chain.commit({ events: [swap(1, [-1, 1], [2_000, 1_000])] })
  chain.commit({ events: [sync(0, 1_000, 3_000_000)] })
  return chain
}

test('default: the current price of a token and its main pair follows the quote token', () => {
  const { engine } = createMovedChain()
  expect(engine.tokenPrice(4)).toEqual({ usd: 1_500, native: 0.5 })
  expect(engine.pairPrice(1)).toEqual(engine.tokenPrice(4))
  expect(engine.tokenState(4).price).toMatchObject({ usd: 1_500, native: 0.5 })
  expect(engine.tokenWorth(4).priceUsd).toBe(1_500)
  expect(engine.pairState(1).price0Usd).toBe(1_500)
})

test('behavior: windows include the current price in high and low; changes and klines only use trades', () => {
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

test('behavior: a day range equals the 24 h window and is valid as long', () => {
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

test("behavior: the wrapped native token has its main pair's price, whatever other pools there are", () => {
  const { engine, commit } = createChain()
  commit(genesis)
  commit({ pairs: [pair(2, 0, 1)], events: [sync(2, 500, 1_010_000)] })
  expect(engine.nativeUsd()).not.toBe(2_000)
  expect(engine.tokenState(0).mainPairId).toBe(0)
  expect(engine.tokenState(0).price).toMatchObject({ usd: 2_000, native: 1, routePairIds: [0] })
  expect(engine.pairState(0).price0Usd).toBe(2_000)
  // Tokens quoted in the native token are valued by the mean of all native pools.
  expect(engine.tokenPrice(4).usd).toBe(0.5 * engine.nativeUsd()!)
})
