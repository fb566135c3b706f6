import { expect, test } from 'vitest'
import {
  createChain,
  eventsOfType,
  genesis,
  pair,
  profile,
  state,
  swap,
  sync,
  token,
} from '../../../../../test/support/marketChain.ts'
import type { FinishedEvent } from '../../model/finishedBlock.ts'
import { klineIntervalsS } from '../../model/klines/kline.ts'
import { type Engine, restoreEngine } from '../engine.ts'

// Token 6 has 6 decimals, and its contract answers late. Pair 2 trades it against native at 2,000
// USD.
const standIn = token(6, { symbol: '', name: '', decimals: 18 })
const known = token(6, { decimals: 6 })
const whole = 1_000_000

/** A trade of whole tokens. The native token has no decimals here. */
const trade = (
  tokens: number,
  native: number,
  reserves: readonly [number, number],
  wallet = 'alice',
): FinishedEvent => swap(2, [tokens * whole, native], [reserves[0] * whole, reserves[1]], wallet)

/** A pool of 1,000 tokens and 1,000 native, and one bought token. */
function createLateChain() {
  const chain = createChain()
  chain.commit(genesis)
  const events = chain.commit({
    tokens: [standIn],
    pairs: [pair(2, 6, 0)],
    events: [sync(2, 1_000 * whole, 1_000), trade(-1, 1, [999, 1_001])],
  })
  const late = (engine: Engine = chain.engine) => {
    const { number, hash } = chain.engine.head()!
    return engine.apply({
      type: 'late',
      facts: { ref: { number, hash }, tokens: [known], supplies: [] },
    })
  }
  return { ...chain, events, late }
}

const openKlines = (engine: Engine) =>
  klineIntervalsS.map((_, interval) => engine.openKline(2, interval))
const noKlines = klineIntervalsS.map(() => null)

function expectUnpriced(engine: Engine): void {
  expect(engine.tokenState(6)).toMatchObject({
    price: null,
    mainPairId: null,
    tvlUsd: 0,
    fdvUsd: 0,
    launchPriceUsd: null,
  })
  expect(engine.pairState(2)).toMatchObject({
    price0Usd: null,
    price0Native: null,
    price1Usd: 2_000,
    tvlUsd: 0,
    athUsd: null,
  })
  expect(engine.pairDayOpenUsd(2, engine.head()!.timeS)).toBeNull()
  expect(openKlines(engine)).toEqual(noKlines)
  expect(engine.pairWindow(2, 5, engine.head()!.timeS)).toMatchObject({
    highUsd: null,
    lowUsd: null,
    changePercent: null,
  })
}

test('default: a token is priced once its decimals arrive', () => {
  const { engine, commit, events, late } = createLateChain()
  expectUnpriced(engine)
  expect(engine.pairPrice(2).usd).toBe(0)
  const [first] = eventsOfType(events, 'swap')
  expect(first!.quote).toMatchObject({ price0Usd: null, price0Native: null, liquidityUsd: 0 })
  // The value of the trade is known, because it was paid in native.
  expect(first).toMatchObject({ amountUsdE8: 2_000 * 1e8, amountNativeRaw: 1n, isBuy: true })
  expect(engine.pairWindow(2, 5, engine.head()!.timeS)).toMatchObject({
    buyVolumeUsdE8: 2_000n * 10n ** 8n,
    buyCount: 1,
    makers: 1,
  })

  expect(late().map(({ type }) => type)).toEqual(['token'])
  commit({})
  const price = (1_001 / 999) * 2_000
  expect(engine.tokenState(6)).toMatchObject({ mainPairId: 2, launchPriceUsd: expect.anything() })
  expect(engine.tokenState(6).price!.usd).toBeCloseTo(price, 9)
  expect(engine.tokenState(6).launchPriceUsd).toBeCloseTo(price, 9)
  expect(engine.tokenTvl(6).usd).toBeCloseTo(999 * price + 1_001 * 2_000, 6)
  expect(engine.pairPrice(2).usd).toBe(engine.tokenState(6).price!.usd)
  // Klines and all-time high start with the next trade.
  expect(openKlines(engine)).toEqual(noKlines)
  expect(engine.pairState(2).athUsd).toBeNull()

  commit({ events: [trade(-1, 1, [998, 1_002], 'bob')] })
  const after = (1_002 / 998) * 2_000
  const { athUsd } = engine.pairState(2)
  expect(athUsd).toBeCloseTo(after, 9)
  expect(engine.pairDayOpenUsd(2, engine.head()!.timeS)).toBeCloseTo(after, 9)
  expect(engine.tokenState(6).launchPriceUsd).toBeCloseTo(price, 9)
  const day = engine.pairWindow(2, 5, engine.head()!.timeS)
  expect(day).toMatchObject({ highUsd: athUsd, lowUsd: athUsd, changePercent: 0, buyCount: 2 })
  for (const kline of openKlines(engine))
    expect(kline).toMatchObject({
      usd: { open: athUsd, high: athUsd, low: athUsd, close: athUsd },
      volumeUsdE8: 2_000n * 10n ** 8n,
      count: 1,
    })
})

test('behavior: a trade right after the decimals may have the same second as the one before', () => {
  const { engine, commit, late } = createLateChain()
  late()
  const events = commit({ events: [trade(-1, 1, [998, 1_002])] }, 0)
  for (const kline of openKlines(engine)) expect(kline).toMatchObject({ count: 1 })
  expect(eventsOfType(events, 'swap')[0]!.quote.price0Usd).toBeCloseTo((1_002 / 998) * 2_000, 9)
  // The klines of all intervals end.
  const ended = commit({}, 15 * 86_400)
  expect(eventsOfType(ended, 'endedKlines')).toMatchObject([{ count: klineIntervalsS.length }])
  expect(openKlines(engine)).toEqual(noKlines)
})

test('behavior: a revert removes the prices, and the next block sets them again', () => {
  const { engine, commit, revert, late } = createLateChain()
  late()
  const waiting = engine.stateHash()
  commit({})
  const priced = engine.stateHash()
  revert()
  expect(engine.pairPrice(2).usd).toBe(0)
  expect(engine.stateHash()).toBe(waiting)
  expectUnpriced(engine)
  commit({})
  expect(engine.stateHash()).toBe(priced)
  revert()
  // Reverts the block of the late facts, and the decimals with it.
  revert()
  expect(engine.findToken('token-6')).toBeUndefined()
  commit({ tokens: [standIn], pairs: [pair(2, 6, 0)], events: [sync(2, whole, 1)] })
  commit({})
  expectUnpriced(engine)
})

test('behavior: a snapshot between the decimals and the next block loses nothing', () => {
  const { engine, commit, late } = createLateChain()
  late()
  engine.apply({ type: 'finalize', ref: engine.head()! })
  const restored = restoreEngine({ profile }, engine.snapshot())
  const { number, hash, timeS } = engine.head()!
  const rest = { tokens: [], pairs: [], events: [], supplies: [], nativeUsd: null, receivedMs: 0 }
  const parent = { parentNumber: number, parentHash: hash }
  const ref = { number: number + 1, hash: `hash-${number + 1}`, ...parent, timeS: timeS + 1 }
  const events = commit({})
  expect(restored.apply({ type: 'commit', block: { ref, ...rest } })).toEqual(events)
  expect(restored.stateHash()).toBe(engine.stateHash())
  expect(restored.tokenState(6).price).not.toBeNull()
})

test('behavior: amounts of a quote asset without decimals have no value', () => {
  const { engine, commit } = createChain()
  const stable = token(1, { symbol: '', name: '', decimals: 18 })
  const tokens = [token(0), stable, token(2), token(3), token(4)]
  const supply = { total: 5n, burnt: 0n, locked: 0n, other: 0n, holders: 1, isComplete: true }
  const events = commit({
    tokens,
    pairs: [pair(0, 0, 1), pair(1, 4, 1)],
    events: [
      sync(0, 1_000, 2_000_000 * whole),
      swap(1, [-1, 2 * whole], [1_000, 2_000 * whole]),
      { ...origin, type: 'liquidity', kind: 'add', pairId: 1, sender: 'x', ...moved },
    ],
    supplies: [{ tokenId: 1, ...supply }],
  })
  expect(eventsOfType(events, 'swap')).toMatchObject([{ amountUsdE8: 0, amountNativeRaw: 0n }])
  expect(eventsOfType(events, 'liquidity')).toMatchObject([{ amountUsdE8: 0, amountNativeRaw: 0n }])
  expect(engine.nativeUsd()).toBeNull()
  expect(engine.tokenState(1)).toMatchObject({ price: null, fdvUsd: 0 })
  const { number, hash } = engine.head()!
  const facts = { ref: { number, hash }, tokens: [token(1, { decimals: 6 })], supplies: [] }
  engine.apply({ type: 'late', facts })
  expect(engine.tokenState(1).price).toBeNull()
  const next = commit({ events: [swap(1, [-1, 2 * whole], [1_000, 2_002 * whole])] })
  expect(eventsOfType(next, 'swap')).toMatchObject([{ amountUsdE8: 2e8, quote: { price1Usd: 1 } }])
  expect(engine.nativeUsd()).toBe(2_000)
  expect(engine.tokenState(4).price!.usd).toBeCloseTo(2.002, 12)
  expect(engine.tokenState(4).launchPriceUsd).toBeCloseTo(2, 12)
  expect(engine.pairTvlUsd(0)).toBeCloseTo(4_000_000, 6)
})

test('behavior: a token without decimals is priced in raw units', () => {
  const { engine, commit } = createChain()
  commit(genesis)
  const unreadable = token(6, { symbol: '', name: '', decimals: 0, isUnreadable: true })
  commit({ tokens: [unreadable], pairs: [pair(2, 6, 0)], events: [sync(2, 1_000, 500)] })
  expect(engine.tokenState(6).price?.usd).toBe(1_000)
})

const origin = { index: 2, txHash: 'tx', wallet: 'alice' }
const moved = { amount0: 1n, amount1: BigInt(2 * whole), ...state(1_000, 2_000 * whole) }
