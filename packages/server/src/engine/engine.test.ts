import { expect, test } from 'vitest'
import {
  createChain,
  eventsOfType,
  genesis,
  profile,
  swap,
  sync,
  token,
} from '../../../../test/support/marketChain.ts'
import { klineIntervalsS } from '../model/klines/kline.ts'
import { type Engine, restoreEngine } from './engine.ts'

test('default: a swap sets price, value and reserves of its pair', () => {
  const { engine, commit } = createChain()
  commit(genesis)
  const events = commit({ events: [swap(1, [-100, 60], [1_900, 1_060])] })
  const [made] = eventsOfType(events, 'swap')
  const price = 1_060 / 1_900
  expect(made).toMatchObject({ isBuy: true, amountUsdE8: 60 * 2_000 * 1e8, amountNativeRaw: 60n })
  expect(made?.quote).toEqual({
    price0Usd: price * 2_000,
    price1Usd: 2_000,
    price0Native: price,
    price1Native: 1,
    liquidityUsd: 1_900 * (price * 2_000) + 1_060 * 2_000,
    liquidityNative: 1_900 * price + 1_060,
  })
  expect(eventsOfType(events, 'openKlines')).toEqual([{ type: 'openKlines', pairId: 1 }])
  expect(engine.pairPrice(1).usd).toBe(price * 2_000)
  expect(engine.pairState(1)).toMatchObject({
    targetTokenId: 4,
    reserve0: 1_900n,
    initReserve0: 2_000n,
    initReserve1: 1_000n,
    athUsd: price * 2_000,
    firstTradeBlock: 2,
    firstTradeSwaps: 1,
  })
})

test('behavior: a token has the volume and update time of pairs whose quote it is', () => {
  const { engine, commit } = createChain()
  commit(genesis)
  const [, native] = genesis.pairs.map(({ token1Id }) => token1Id)
  commit({ events: [swap(1, [-100, 60], [1_900, 1_060])] })
  commit({ events: [swap(1, [50, -30], [1_950, 1_030])] })
  const tradedAtS = engine.head()!.timeS
  expect(engine.tokenWindow(native!, 5, tradedAtS)).toMatchObject({
    buyVolumeUsdE8: 30n * 2_000n * 10n ** 8n,
    sellVolumeUsdE8: 60n * 2_000n * 10n ** 8n,
    buyCount: 1,
    sellCount: 1,
    amountRaw: 90n,
    makers: 1,
    buyers: 1,
    sellers: 1,
  })
  expect(engine.tokenDayVolumeUsd(native!, tradedAtS)).toBe(90 * 2_000)
  expect(engine.tokenFacts(native!).updatedAtS).toBe(tradedAtS)
  commit({ events: [sync(1, 2_000, 1_100)] }, 7)
  expect(engine.tokenFacts(native!).updatedAtS).toBe(tradedAtS + 7)
  expect(engine.tokenDayVolumeUsd(native!, tradedAtS + 86_400 + 60)).toBe(0)
})

test('behavior: events are ordered: tokens, pairs, chain events, supplies, klines, prices', () => {
  const { commit } = createChain()
  const supply = { total: 10n, burnt: 0n, locked: 0n, other: 0n, holders: 1, isComplete: true }
  const events = commit({
    ...genesis,
    events: [...genesis.events, swap(0, [1, -2_000], [1_001, 1_998_000])],
    supplies: [{ tokenId: 4, ...supply }],
  })
  const order = events.map(({ type }) => type).filter((type, at, all) => type !== all[at - 1])
  expect(order).toEqual(['token', 'pair', 'swap', 'supply', 'openKlines'])
})

test('behavior: both halves of a round trip inside a minute are not organic', () => {
  const { engine, commit } = createChain()
  commit(genesis, 40)
  const nowS = () => engine.head()!.timeS
  commit({ events: [swap(1, [-10, 10], [1_990, 1_010])] })
  commit({ events: [swap(1, [-10, 10], [1_980, 1_020], 'bob')] })
  const usdE8 = 10n * 2_000n * 10n ** 8n
  expect(engine.pairWindow(1, 0, nowS()).organicVolumeUsdE8).toBe(usdE8 * 2n)
  commit({ events: [swap(1, [10, -10], [1_990, 1_010])] })
  for (const window of [0, 1, 2, 3, 4, 5])
    expect(engine.pairWindow(1, window, nowS())).toMatchObject({
      organicVolumeUsdE8: usdE8,
      buyVolumeUsdE8: usdE8 * 2n,
      sellVolumeUsdE8: usdE8,
      makers: 2,
    })
  commit({ events: [swap(1, [10, -10], [2_000, 1_000], 'bob')] }, 60)
  expect(engine.pairWindow(1, 5, nowS()).organicVolumeUsdE8).toBe(usdE8 * 2n)
})

test('behavior: a round trip takes at most 60 seconds, also across minutes', () => {
  const { engine, commit, revert } = createChain()
  commit(genesis)
  const nowS = () => engine.head()!.timeS
  const organicOf = (window: number) =>
    Number(engine.pairWindow(1, window, nowS()).organicVolumeUsdE8 / (10n * 2_000n * 10n ** 8n))
  const buy = { events: [swap(1, [-10, 10], [1_990, 1_010])] }
  const sell = { events: [swap(1, [10, -10], [2_000, 1_000])] }
  commit(buy, 60 - (nowS() % 60) - 2)
  commit(buy)
  expect(nowS() % 60).toBe(59)
  // The sell is 62 and 61 seconds after the two buys.
  commit(sell, 61)
  expect([1, 2, 5].map(organicOf)).toEqual([3, 3, 3])
  revert()
  // The sell is 61 seconds after the first buy and 60 after the second.
  commit(sell, 60)
  expect([1, 2, 5].map(organicOf)).toEqual([1, 1, 1])
  revert()
  commit(sell)
  expect(nowS() % 60).toBe(0)
  expect([0, 1, 2, 5].map(organicOf)).toEqual([0, 0, 0, 0])
  commit(buy, 61)
  expect([1, 2, 5].map(organicOf)).toEqual([1, 1, 1])
})

test('behavior: a round trip changes earlier minutes of windows that were read', () => {
  const { engine, commit } = createChain()
  commit(genesis)
  const nowS = () => engine.head()!.timeS
  const buy = (wallet: string) => ({ events: [swap(1, [-10, 10], [1_990, 1_010], wallet)] })
  const organicOf = (window: number) =>
    Number(engine.pairWindow(1, window, nowS()).organicVolumeUsdE8 / (10n * 2_000n * 10n ** 8n))
  commit(buy('alice'), 60 - (nowS() % 60))
  // Enough minutes with trades for the window's result to be cached.
  for (let left = 20; left > 0; left -= 1) commit(buy('alice'), 60)
  commit(buy('bob'), 50)
  commit(buy('carol'), 10)
  expect([3, 4].map(organicOf)).toEqual([23, 23])
  commit({ events: [swap(1, [10, -10], [2_000, 1_000], 'bob')] })
  expect([3, 4].map(organicOf)).toEqual([22, 22])
})

test('behavior: a revert reports the block, then the klines that are open again', () => {
  const { engine, commit, revert } = createChain()
  commit(genesis)
  commit({ events: [swap(1, [-100, 60], [1_900, 1_060])] })
  const openKlines = () => klineIntervalsS.map((_, interval) => engine.openKline(1, interval))
  const before = openKlines()
  commit({ tokens: [token(6)], events: [swap(1, [-100, 60], [1_800, 1_120])] })
  expect(engine.findToken('token-6')).toBe(6)
  const events = revert()
  expect(events[0]).toMatchObject({ type: 'reverted', ref: { number: 3 } })
  expect(eventsOfType(events, 'openKlines')).toEqual([{ type: 'openKlines', pairId: 1 }])
  expect(openKlines()).toEqual(before)
  expect(engine.pairPrice(1).usd).toBe((1_060 / 1_900) * 2_000)
  expect(engine.findToken('token-6')).toBeUndefined()
  expect(engine.search('token-6', 5).prefix).toEqual([])
  expect(engine.tokenCount()).toBe(6)
})

test('behavior: late facts change record, search and supply, and are reverted with their block', () => {
  const { engine, commit, revert } = createChain()
  commit(genesis)
  commit({})
  const { number, hash } = engine.head()!
  const supply = { total: 7n, burnt: 0n, locked: 0n, other: 0n, holders: 1, isComplete: false }
  const facts = {
    ref: { number, hash },
    tokens: [token(4, { symbol: 'BETTER' })],
    supplies: [{ tokenId: 4, ...supply }],
  }
  commit({})
  const events = engine.apply({ type: 'late', facts })
  expect(events.map(({ type }) => type)).toEqual(['token', 'supply'])
  expect(engine.search('better', 5).exact).toEqual([4])
  revert()
  expect(engine.tokenState(4).supply?.total).toBe(7n)
  revert()
  expect(engine.search('better', 5).exact).toEqual([])
  expect(engine.tokenState(4).supply).toBeNull()
  expect(engine.apply({ type: 'late', facts })).toEqual([])
})

test('behavior: a token has the newest trade of all its pairs, and a revert restores the one before', () => {
  const { engine, commit, revert } = createChain()
  commit(genesis)
  const lastTrades = () => [0, 1, 4].map((id) => engine.tokenActivity(id).lastTradeAtS)
  const lastBlocks = () => [0, 1, 4].map((id) => engine.tokenActivity(id).lastTradeBlock)
  const pairBlocks = () => [0, 1].map((id) => engine.pairActivity(id).lastTradeBlock)
  expect(lastTrades()).toEqual([0, 0, 0])
  expect(lastBlocks()).toEqual([-1, -1, -1])
  commit({ events: [swap(1, [-100, 60], [1_900, 1_060])] })
  const firstS = engine.head()!.timeS
  expect(lastTrades()).toEqual([firstS, 0, firstS])
  commit({ events: [swap(0, [1, -2_000], [1_001, 1_998_000])] })
  const secondS = engine.head()!.timeS
  expect(lastTrades()).toEqual([secondS, secondS, firstS])
  const { number } = engine.head()!
  expect(lastBlocks()).toEqual([number, number, number - 1])
  expect(pairBlocks()).toEqual([number, number - 1])
  expect(engine.revertCount()).toBe(0)
  revert()
  expect(lastTrades()).toEqual([firstS, 0, firstS])
  expect(lastBlocks()).toEqual([number - 1, -1, number - 1])
  expect(pairBlocks()).toEqual([-1, number - 1])
  expect(engine.revertCount()).toBe(1)
})

test('error: a revert of a block that cannot be undone throws', () => {
  const { engine, commit } = createChain({ profile: { ...profile, reorgDepthMax: 2 } })
  commit(genesis)
  const first = engine.head()!
  commit({})
  commit({})
  const [third] = [engine.head()!]
  engine.apply({ type: 'revert', ref: third })
  engine.apply({ type: 'revert', ref: engine.head()! })
  expect(() => engine.apply({ type: 'revert', ref: first })).toThrow(
    expect.objectContaining({ code: 'REORG_TOO_DEEP' }),
  )
})

test('error: a block that does not link to the head throws', () => {
  const { engine, commit } = createChain()
  commit(genesis)
  const ref = { number: 2, hash: 'x', parentNumber: 1, parentHash: 'other', timeS: 1 }
  const rest = { tokens: [], pairs: [], events: [], supplies: [], nativeUsd: null, receivedMs: 0 }
  expect(() => engine.apply({ type: 'commit', block: { ref, ...rest } })).toThrow('parent hash')
})

test('error: snapshots of revertible blocks, of other chains and of damaged bytes are refused', () => {
  const { engine, commit } = createChain()
  commit(genesis)
  const code = (value: string) => expect.objectContaining({ code: value })
  expect(() => engine.snapshot()).toThrow(code('SNAPSHOT_NOT_FINAL'))
  engine.apply({ type: 'finalize', ref: engine.head()! })
  const bytes = Buffer.concat([...engine.snapshot()])
  const restored: Engine = restoreEngine({ profile }, [bytes])
  expect(restored.pairState(1)).toEqual(engine.pairState(1))
  expect(restored.finalizedNumber()).toBe(1)
  const unreadable = code('SNAPSHOT_UNREADABLE')
  const other = { ...profile, name: 'other' }
  expect(() => restoreEngine({ profile: other }, [bytes])).toThrow(unreadable)
  expect(() => restoreEngine({ profile }, [bytes.subarray(0, 99)])).toThrow(unreadable)
  expect(() => restoreEngine({ profile }, [new Uint8Array(64)])).toThrow(unreadable)
})
