import { expect, test } from 'vitest'
import { generatorProfile } from '../../../../test/support/blockGenerator.ts'
import type { FinishedBlock, FinishedEvent } from '../model/finishedBlock.ts'
import type { MarketEvent } from '../model/marketEvent.ts'
import type { PairRecord } from '../model/pair.ts'
import type { TokenRecord } from '../model/token.ts'
import { createEngine, type Engine, restoreEngine } from './engine.ts'

// Token 0 is wrapped native, 1 and 2 are stablecoins, 3 is a lower quote asset; all have 0 decimals
// here but native, which has 18 by the profile and 0 by its record, to keep amounts readable.
const profile = { ...generatorProfile, native: { ...generatorProfile.native, decimals: 0 } }

const token = (id: number, parts: Partial<TokenRecord> = {}): TokenRecord => ({
  id,
  address: `token-${id}`,
  symbol: `T${id}`,
  name: `Token ${id}`,
  decimals: 0,
  isUnreadable: false,
  seenAtS: 100,
  ...parts,
})

const pair = (id: number, token0Id: number, token1Id: number, isTrusted = true): PairRecord => ({
  id,
  address: `pair-${id}`,
  kind: 'constantProduct',
  token0Id,
  token1Id,
  factory: 'factory',
  amm: 'uniswapv2',
  isTrusted,
  feePpm: 3_000,
  createdAtS: 100,
  platform: id === 9 ? 'launchpad' : null,
})

const state = (reserve0: number, reserve1: number) => ({
  reserve0: BigInt(reserve0),
  reserve1: BigInt(reserve1),
  priceRaw: reserve1 / reserve0,
})

const sync = (pairId: number, reserve0: number, reserve1: number): FinishedEvent => ({
  type: 'sync',
  index: 0,
  pairId,
  ...state(reserve0, reserve1),
})

const swap = (
  pairId: number,
  amounts: readonly [number, number],
  reserves: readonly [number, number],
  wallet = 'alice',
): FinishedEvent => ({
  type: 'swap',
  index: 0,
  txHash: 'tx',
  wallet,
  pairId,
  sender: wallet,
  to: wallet,
  amount0: BigInt(amounts[0]),
  amount1: BigInt(amounts[1]),
  ...state(...reserves),
  holding0: null,
  holding1: null,
  native: null,
  accountFlags: 0,
})

/** A chain of blocks on one engine, a second apart unless told. */
function createChain(options: Partial<Parameters<typeof createEngine>[0]> = {}) {
  const engine = createEngine({ profile, ...options })
  let number = 0
  let timeS = 1_700_000_000
  return {
    engine,
    commit(parts: Partial<FinishedBlock>, stepS = 1): MarketEvent[] {
      const parentHash = `hash-${number}`
      number += 1
      timeS += stepS
      const ref = { number, hash: `hash-${number}`, parentHash, timeS }
      const rest = { tokens: [], pairs: [], events: [], supplies: [], nativeUsd: null }
      return engine.apply({ type: 'commit', block: { ref, receivedMs: 0, ...rest, ...parts } })
    },
    revert(): MarketEvent[] {
      const ref = engine.head()!
      number -= 1
      timeS = 1_700_000_000
      return engine.apply({ type: 'revert', ref })
    },
  }
}

const tokens = [0, 1, 2, 3, 4, 5].map((id) => token(id))

/** Native at 2,000 USD; token 4 at 0.5 native in pair 1. */
const genesis = {
  tokens,
  pairs: [pair(0, 0, 1), pair(1, 4, 0)],
  events: [sync(0, 1_000, 2_000_000), sync(1, 2_000, 1_000)],
}

const pick = <type extends MarketEvent['type']>(events: readonly MarketEvent[], type: type) =>
  events.filter((event): event is Extract<MarketEvent, { type: type }> => event.type === type)

test('default', () => {
  const { engine, commit } = createChain()
  commit(genesis)
  const events = commit({ events: [swap(1, [-100, 60], [1_900, 1_060])] })
  const [made] = pick(events, 'swap')
  const price = 1_060 / 1_900
  expect(made).toMatchObject({ isBuy: true, amountUsdE8: 60 * 2_000 * 1e8, amountNativeRaw: 60 })
  expect(made?.quote).toEqual({
    price0Usd: price * 2_000,
    price1Usd: 2_000,
    price0Native: price,
    price1Native: 1,
    liquidityUsd: 1_900 * (price * 2_000) + 1_060 * 2_000,
    liquidityNative: 1_900 * price + 1_060,
  })
  expect(pick(events, 'kline')).toHaveLength(10)
  expect(pick(events, 'price')).toEqual([
    { type: 'price', pairId: 1, priceUsd: price * 2_000, priceUsdBefore: 0 },
  ])
  expect(engine.pairState(1)).toMatchObject({
    targetTokenId: 4,
    reserve0: 1_900n,
    initReserve0: 2_000n,
    initReserve1: 1_000n,
    athUsd: price * 2_000,
    firstTradeBlock: 2,
  })
})

test('behavior: the order is tokens, pairs, chain events, supplies, klines, prices', () => {
  const { commit } = createChain()
  const supply = { total: 10n, burnt: 0n, locked: 0n, other: 0n, holders: 1, isComplete: true }
  const events = commit({
    ...genesis,
    events: [...genesis.events, swap(0, [1, -2_000], [1_001, 1_998_000])],
    supplies: [{ tokenId: 4, ...supply }],
  })
  const order = events.map(({ type }) => type).filter((type, at, all) => type !== all[at - 1])
  expect(order).toEqual(['token', 'pair', 'swap', 'supply', 'kline', 'price'])
})

test('behavior: rates are those after the block before', () => {
  const { engine, commit } = createChain()
  commit(genesis)
  const events = commit({
    events: [sync(0, 1_000, 4_000_000), swap(1, [-100, 60], [1_900, 1_060])],
  })
  expect(pick(events, 'swap')[0]?.quote.price1Usd).toBe(2_000)
  expect(engine.nativeUsd()).toBe(4_000)
  const next = commit({ events: [swap(1, [-100, 60], [1_800, 1_120])] })
  expect(pick(next, 'swap')[0]?.quote.price1Usd).toBe(4_000)
})

test('behavior: a pair of two tokens that are no quote assets is valued through the main pair', () => {
  const { engine, commit } = createChain()
  commit(genesis)
  commit({ pairs: [pair(2, 5, 4)], events: [sync(2, 1_000, 1_000)] })
  // Token 4 is worth 1,000 USD after the block before, though its pair moves first in this one.
  const events = commit({ events: [sync(1, 1_000, 1_000), swap(2, [-10, 10], [990, 1_010])] })
  expect(pick(events, 'swap')[0]).toMatchObject({ amountUsdE8: 10_000 * 1e8, isBuy: true })
  expect(engine.tokenState(5).price).toBeNull()
  expect(engine.tokenState(4).price).toEqual({
    usd: 2_000,
    native: 1,
    routePairIds: [1, 0],
    routeLiquidityUsd: 4_000_000,
    atS: 1_700_000_003,
  })
})

test('behavior: pools are weighed by liquidity, small and untrusted ones have no say', () => {
  const { engine, commit } = createChain()
  commit({
    tokens,
    pairs: [pair(0, 0, 1), pair(1, 2, 0), pair(2, 0, 1), pair(3, 0, 1, false)],
    events: [
      sync(0, 1_000, 2_000_000),
      sync(1, 1_000_000, 400),
      sync(2, 1, 400),
      sync(3, 1_000, 9_000_000),
    ],
  })
  expect(engine.nativeUsd()).toBeCloseTo((2_000 * 4 + 2_500 * 2) / 6, 9)
})

test('behavior: without a pool the native price is the resolved fact', () => {
  const { engine, commit } = createChain()
  commit({ tokens, pairs: [pair(0, 4, 0)], events: [sync(0, 10, 10)], nativeUsd: 150 })
  expect(engine.nativeUsd()).toBe(150)
  commit({})
  expect(engine.nativeUsd()).toBe(150)
  expect(engine.tokenState(4).price).toMatchObject({ usd: 150, native: 1, routePairIds: [0] })
})

test('behavior: a main pair changes after 20 blocks of 10 %, not before', () => {
  const { engine, commit } = createChain()
  commit(genesis)
  expect(engine.tokenState(4).mainPairId).toBe(1)
  commit({ pairs: [pair(2, 4, 1)], events: [sync(2, 2_000, 2_150_000)] })
  for (let left = 30; left > 0; left -= 1)
    expect(pick(commit({ events: [sync(2, 2_000, 2_190_000)] }), 'mainPair')).toEqual([])
  commit({ events: [sync(2, 2_000, 2_210_000)] })
  for (let left = 19; left > 0; left -= 1) expect(pick(commit({}), 'mainPair')).toEqual([])
  expect(pick(commit({}), 'mainPair')).toEqual([
    { type: 'mainPair', tokenId: 4, oldPairId: 1, newPairId: 2, isGraduation: false },
  ])
  expect(engine.tokenState(4)).toMatchObject({ mainPairId: 2, pairIds: [2, 1] })
})

test('behavior: a lead that is lost for one block starts anew', () => {
  const { commit } = createChain()
  commit(genesis)
  commit({ pairs: [pair(2, 4, 1)], events: [sync(2, 2_000, 3_000_000)] })
  for (let left = 15; left > 0; left -= 1) commit({})
  commit({ events: [sync(2, 2_000, 1_000_000)] })
  commit({ events: [sync(2, 2_000, 3_000_000)] })
  for (let left = 19; left > 0; left -= 1) expect(pick(commit({}), 'mainPair')).toEqual([])
  expect(pick(commit({}), 'mainPair')).toHaveLength(1)
})

test('behavior: an untrusted pair never prices a token', () => {
  const { engine, commit } = createChain()
  commit({ tokens, pairs: [pair(0, 0, 1), pair(1, 4, 0, false)], events: [sync(1, 1, 1_000)] })
  expect(engine.tokenState(4)).toMatchObject({ price: null, mainPairId: null, tvlUsd: 0 })
})

test('behavior: a launch goes in, almost, out, and its pair takes over at once', () => {
  const { engine, commit, revert } = createChain()
  commit({ ...genesis, pairs: [...genesis.pairs], tokens })
  const origin = { index: 0, txHash: 'tx', wallet: 'dev' }
  const curve = { ...pair(2, 5, 0), kind: 'curve' as const, platform: 'launchpad' }
  const launch = { ...origin, type: 'launch', pairId: 2, tokenId: 5, creator: 'dev' } as const
  const made = commit({ pairs: [curve], events: [launch, sync(2, 1_000, 10)] })
  expect(pick(made, 'launch')).toEqual([
    { type: 'launch', state: 'created', tokenId: 5, pairId: 2 },
  ])
  expect(engine.launched('in')).toEqual([5])
  const fill = (filledPpm: number) =>
    pick(commit({ events: [{ type: 'curve', index: 0, pairId: 2, filledPpm }] }), 'launch')
  expect(fill(799_999)).toEqual([])
  expect(fill(800_000)).toMatchObject([{ state: 'almost' }])
  expect(fill(900_000)).toEqual([])
  expect(engine.launched('almost')).toEqual([5])
  const ids = { tokenId: 5, curvePairId: 2, pairId: 3 }
  const out = commit({
    pairs: [pair(3, 5, 0)],
    events: [sync(3, 1_000, 5), { ...origin, type: 'graduation', ...ids }],
  })
  expect(pick(out, 'launch')).toMatchObject([{ state: 'graduated', pairId: 3 }])
  expect(pick(out, 'mainPair')).toMatchObject([{ oldPairId: 2, newPairId: 3, isGraduation: true }])
  expect(engine.tokenState(5).launch).toMatchObject({ state: 'out', platform: 'launchpad' })
  expect([engine.launched('in'), engine.launched('almost'), engine.launched('out')]).toEqual([
    [],
    [],
    [5],
  ])
  revert()
  expect(engine.launched('almost')).toEqual([5])
  expect(engine.tokenState(5).mainPairId).toBe(2)
})

test('behavior: market cap and fully diluted value follow the supply parts', () => {
  const { engine, commit } = createChain()
  const supply = { total: 100n, burnt: 10n, locked: 20n, other: 5n, holders: 3, isComplete: true }
  commit({ ...genesis, supplies: [{ tokenId: 4, ...supply }] })
  expect(engine.tokenState(4)).toMatchObject({ fdvUsd: 85_000, marketCapUsd: 65_000 })
})

test('behavior: the day opens at the price before its first trade', () => {
  const { engine, commit } = createChain()
  commit(genesis)
  commit({ events: [swap(1, [-100, 60], [1_900, 1_060])] })
  const before = (1_060 / 1_900) * 2_000
  expect(engine.pairState(1).dayOpenUsd).toBe(before)
  commit({ events: [swap(1, [-100, 60], [1_800, 1_120])] }, 86_400)
  expect(engine.pairState(1).dayOpenUsd).toBe(before)
  commit({}, 86_400)
  expect(engine.pairState(1).dayOpenUsd).toBe((1_120 / 1_800) * 2_000)
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

test('behavior: a revert names the block, then the klines and prices as they are again', () => {
  const { engine, commit, revert } = createChain()
  commit(genesis)
  const first = commit({ events: [swap(1, [-100, 60], [1_900, 1_060])] })
  commit({ tokens: [token(6)], events: [swap(1, [-100, 60], [1_800, 1_120])] })
  expect(engine.findToken('token-6')).toBe(6)
  const events = revert()
  expect(events[0]).toMatchObject({ type: 'reverted', ref: { number: 3 } })
  const byInterval = (some: readonly MarketEvent[]) =>
    pick(some, 'kline').filter(({ isClosed }) => !isClosed)
  expect(byInterval(events).filter(({ interval }) => interval > 0)).toEqual(
    byInterval(first).filter(({ interval }) => interval > 0),
  )
  expect(pick(events, 'price')).toEqual([
    {
      type: 'price',
      pairId: 1,
      priceUsd: (1_060 / 1_900) * 2_000,
      priceUsdBefore: (1_120 / 1_800) * 2_000,
    },
  ])
  expect(engine.findToken('token-6')).toBeUndefined()
  expect(engine.search('token-6', 5)).toEqual([])
  expect(engine.tokenCount()).toBe(6)
})

test('behavior: late facts change the record, the search and the supply, and go with the block', () => {
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
  expect(engine.search('better', 5)).toEqual([4])
  revert()
  expect(engine.tokenState(4).supply?.total).toBe(7n)
  revert()
  expect(engine.search('better', 5)).toEqual([])
  expect(engine.tokenState(4).supply).toBeNull()
  expect(engine.apply({ type: 'late', facts })).toEqual([])
})

test('behavior: trending leaves out untrusted pairs and wash trades', () => {
  const { engine, commit } = createChain()
  commit({
    tokens,
    pairs: [pair(0, 0, 1), pair(1, 4, 0), pair(2, 5, 0), pair(3, 3, 0, false)],
    events: [sync(0, 1_000, 2_000_000)],
  })
  commit({
    events: [
      swap(1, [-100, 60], [1_900, 1_060]),
      swap(1, [-100, 60], [1_800, 1_120], 'bob'),
      swap(2, [-500, 300], [1_500, 1_300]),
      swap(2, [500, -300], [2_000, 1_000]),
      swap(3, [-500, 300], [1_500, 1_300], 'carol'),
    ],
  })
  expect(engine.trending(engine.head()!.timeS, 0, 10)).toEqual([4, 5])
  expect(engine.trending(engine.head()!.timeS, 1, 10)).toEqual([5])
})

test('error: a revert below what is held asks for a snapshot', () => {
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

test('error: blocks that do not link', () => {
  const { engine, commit } = createChain()
  commit(genesis)
  const ref = { number: 2, hash: 'x', parentHash: 'other', timeS: 1 }
  const rest = { tokens: [], pairs: [], events: [], supplies: [], nativeUsd: null, receivedMs: 0 }
  expect(() => engine.apply({ type: 'commit', block: { ref, ...rest } })).toThrow('parent hash')
})

test('error: snapshots of open blocks, of other chains and of other bytes', () => {
  const { engine, commit } = createChain()
  commit(genesis)
  const code = (value: string) => expect.objectContaining({ code: value })
  expect(() => engine.snapshot()).toThrow(code('SNAPSHOT_NOT_FINAL'))
  engine.apply({ type: 'finalize', ref: engine.head()! })
  const bytes = engine.snapshot()
  const restored: Engine = restoreEngine({ profile }, bytes)
  expect(restored.pairState(1)).toEqual(engine.pairState(1))
  expect(restored.finalizedNumber()).toBe(1)
  const unreadable = code('SNAPSHOT_UNREADABLE')
  const other = { ...profile, name: 'other' }
  expect(() => restoreEngine({ profile: other }, bytes)).toThrow(unreadable)
  expect(() => restoreEngine({ profile }, bytes.slice(0, 99))).toThrow(unreadable)
  expect(() => restoreEngine({ profile }, new Uint8Array(64))).toThrow(unreadable)
})
