// Tests of the unwrapped native coin, which some venues trade: it is a quote asset like its wrapped
// token.
import { expect, test } from 'vitest'
import {
  createChain,
  eventsOfType,
  genesis,
  pair,
  profile as plain,
  swap,
  sync,
  token,
} from '../../../../../test/support/marketChain.ts'
import { windowsS } from '../marketReads.ts'

// Token 6 is the native coin; token 7 trades against it.
const profile = {
  ...plain,
  native: { ...plain.native, coin: 'token-6' },
  quotes: ['token-1', 'token-2', 'token-0', 'token-6', 'token-3'],
}
const coinUsdPair = 2
const tokenPair = 3
const wrapPair = 4
const dayWindow = windowsS.length - 1

/**
 * A market with the wrapped token at 2,000 USD in a pool of 4,000,000 USD, and the coin at 2,100
 * USD in a pool of 8,400,000 USD.
 */
function createCoinChain() {
  const chain = createChain({ profile })
  chain.commit(genesis)
  chain.commit({
    tokens: [token(6), token(7)],
    pairs: [pair(coinUsdPair, 6, 1), pair(tokenPair, 6, 7), pair(wrapPair, 0, 6)],
    events: [sync(coinUsdPair, 2_000, 4_200_000), sync(tokenPair, 100, 5_000)],
  })
  return chain
}

test("default: pools of the coin and of its wrapped token set one rate; each shows its main pair's price", () => {
  const { engine } = createCoinChain()
  const nativeUsd = (2_000 * 4_000_000 + 2_100 * 8_400_000) / 12_400_000
  expect(engine.nativeUsd()).toBeCloseTo(nativeUsd, 9)
  for (const [tokenId, pairId, usd] of [
    [0, 0, 2_000],
    [6, coinUsdPair, 2_100],
  ] as const) {
    expect(engine.tokenState(tokenId).price).toMatchObject({ usd, native: 1 })
    expect(engine.tokenState(tokenId).price!.routePairIds).toEqual([pairId])
    expect(engine.pairState(pairId).price0Usd).toBe(usd)
  }
})

test('behavior: trades quoted in the coin are valued by their amounts', () => {
  const { engine, commit } = createCoinChain()
  const nativeUsd = engine.nativeUsd()
  expect(engine.targetTokenOf(tokenPair)).toBe(7)
  const [event] = eventsOfType(
    commit({ events: [swap(tokenPair, [7, -300], [107, 4_700])] }),
    'swap',
  )
  expect(event).toMatchObject({ amountNativeRaw: 7n, isBuy: true })
  expect(event!.quote).toMatchObject({ price0Native: 1, price0Usd: nativeUsd })
  const { price, mainPairId } = engine.tokenState(7)
  expect(mainPairId).toBe(tokenPair)
  expect(price!.native).toBeCloseTo(107 / 4_700, 12)
})

test("behavior: the coin's native price is 1 in stablecoin and wrapped pools", () => {
  const { engine, commit } = createCoinChain()
  const events = commit({
    events: [
      swap(coinUsdPair, [-5, 10_600], [1_995, 4_210_600]),
      swap(wrapPair, [3, -3], [1_000, 990]),
    ],
  })
  const [usd, wrap] = eventsOfType(events, 'swap')
  expect(usd).toMatchObject({ amountNativeRaw: 5n, amountUsdE8: 10_600e8 })
  expect(usd!.quote.price0Native).toBe(1)
  expect(wrap).toMatchObject({ amountNativeRaw: 3n })
  expect(wrap!.quote).toMatchObject({ price0Native: 1, price1Native: 1 })
  expect(engine.targetTokenOf(wrapPair)).toBe(6)
})

test('behavior: the volume of the coin excludes that of its wrapped token', () => {
  const { engine, commit } = createCoinChain()
  commit({ events: [swap(coinUsdPair, [-5, 10_600], [1_995, 4_210_600])] })
  const volumeOf = (tokenId: number) => {
    const { buyVolumeUsdE8 } = engine.tokenTrading(tokenId, dayWindow, engine.head()!.timeS)
    return buyVolumeUsdE8
  }
  expect([volumeOf(6), volumeOf(0)]).toEqual([10_600n * 10n ** 8n, 0n])
})
