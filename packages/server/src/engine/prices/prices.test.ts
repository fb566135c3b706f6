import { expect, test } from 'vitest'
import {
  createChain,
  eventsOfType,
  genesis,
  pair,
  swap,
  sync,
  tokens,
} from '../../../../../test/support/marketChain.ts'
import type { FinishedEvent } from '../../model/finishedBlock.ts'
import type { PairRecord } from '../../model/pair.ts'

test('behavior: rates are those after the previous block', () => {
  const { engine, commit } = createChain()
  commit(genesis)
  const events = commit({
    events: [sync(0, 1_000, 4_000_000), swap(1, [-100, 60], [1_900, 1_060])],
  })
  expect(eventsOfType(events, 'swap')[0]?.quote.price1Usd).toBe(2_000)
  expect(engine.nativeUsd()).toBe(4_000)
  const next = commit({ events: [swap(1, [-100, 60], [1_800, 1_120])] })
  expect(eventsOfType(next, 'swap')[0]?.quote.price1Usd).toBe(4_000)
})

test('behavior: a pair without a quote asset is valued through a main pair', () => {
  const { engine, commit } = createChain()
  commit(genesis)
  commit({ pairs: [pair(2, 5, 4)], events: [sync(2, 1_000, 1_000)] })
  // After the previous block token 4 is worth 1,000 USD, although its pair changes first in this
  // block.
  const events = commit({ events: [sync(1, 1_000, 1_000), swap(2, [-10, 10], [990, 1_010])] })
  expect(eventsOfType(events, 'swap')[0]).toMatchObject({ amountUsdE8: 10_000 * 1e8, isBuy: true })
  expect(engine.tokenState(5).price).toBeNull()
  expect(engine.tokenState(4).price).toEqual({
    usd: 2_000,
    native: 1,
    routePairIds: [1, 0],
    routeLiquidityUsd: 4_000_000,
    // Time of the first block: the native pool has not changed since.
    atS: 1_700_000_001,
  })
})

test("behavior: a launch curve quoted in another token is valued through that token's main pair", () => {
  const { engine, commit } = createChain()
  commit(genesis)
  const curve: PairRecord = { ...pair(2, 5, 4), kind: 'curve', platform: 'pump' }
  commit({ pairs: [curve], events: [sync(2, 800, 100)] })
  // Token 4 is worth half a native coin, which is worth 2,000 USD.
  const events = commit({ events: [swap(2, [-80, 12], [720, 112])] })
  expect(eventsOfType(events, 'swap')[0]).toMatchObject({ amountUsdE8: 12_000 * 1e8, isBuy: true })
  const state = engine.pairState(2)
  expect(state.price0Usd).toBeCloseTo((112 / 720) * 1_000, 9)
  expect(state.price0Native).toBeCloseTo((112 / 720) * 0.5, 9)
  // Only pairs with a quote asset can price a token.
  expect(engine.tokenState(5)).toMatchObject({ price: null, mainPairId: null })
})

test('behavior: native pools are weighed by liquidity, without small and untrusted ones', () => {
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

test('behavior: without a native pool the native price is the one reported from another chain', () => {
  const { engine, commit } = createChain()
  commit({
    tokens,
    pairs: [pair(0, 4, 0)],
    events: [sync(0, 10, 10)],
    nativeUsd: { usd: 150, atS: 9 },
  })
  expect(engine.nativeUsd()).toBe(150)
  commit({})
  expect(engine.nativeUsd()).toBe(150)
  expect(engine.tokenState(4).price).toMatchObject({ usd: 150, native: 1, routePairIds: [0] })
})

test('behavior: a pool counts from its first known reserves', () => {
  const { engine, commit, revert } = createChain()
  commit(genesis)
  const unknown = { reserve0: 0n, reserve1: 0n }
  // A native pool at 9,000 USD and the only pool of token 5, both with unknown reserves.
  const nativeSwap = { ...swap(2, [-1, 9_000], [1, 9_000]), ...unknown } as FinishedEvent
  const tokenSwap = { ...swap(3, [-2, 1], [2, 1]), ...unknown } as FinishedEvent
  commit({ pairs: [pair(2, 0, 1), pair(3, 5, 0)], events: [nativeSwap, tokenSwap] })
  expect(engine.nativeUsd()).toBe(2_000)
  expect(engine.tokenState(5)).toMatchObject({ mainPairId: null, price: null })
  const before = engine.pairState(3)
  expect(before).toMatchObject({ reserve0: 0n, initReserve0: 0n, tvlUsd: 0, price0Usd: 1_000 })
  for (let time = 0; time < 2; time++) {
    commit({ events: [sync(3, 4_000, 2_000)] })
    const known = { reserve0: 4_000n, reserve1: 2_000n, initReserve0: 4_000n, initReserve1: 2_000n }
    expect(engine.pairState(3)).toMatchObject({ ...known, tvlUsd: 8_000_000 })
    expect(engine.tokenState(5)).toMatchObject({ mainPairId: 3, price: { usd: 1_000 } })
    if (time === 0) revert()
    if (time === 0) expect(engine.pairState(3)).toEqual(before)
  }
})

test.each([
  // Five blocks have the same second.
  { blocks: '200 ms', steps: [0, 0, 0, 0, 1], leadS: 20 },
  { blocks: '2 s', steps: [2], leadS: 20 },
  { blocks: '12 s', steps: [12], leadS: 60 },
])(
  'behavior: with a block every $blocks a main pair changes after a 10 % lead of $leadS s',
  ({ steps, leadS }) => {
    const { engine, commit, pass } = createChain()
    let made = 0
    const stepS = () => steps[made++ % steps.length]!
    const mine = (parts: Parameters<typeof commit>[0]) =>
      eventsOfType(commit(parts, stepS()), 'mainPair')
    mine(genesis)
    expect(engine.tokenState(4).mainPairId).toBe(1)
    mine({ pairs: [pair(2, 4, 1)], events: [sync(2, 2_000, 2_150_000)] })
    for (let left = 400; left > 0; left -= 1)
      expect(mine({ events: [sync(2, 2_000, 2_190_000)] })).toEqual([])
    mine({ events: [sync(2, 2_000, 2_210_000)] })
    const sinceS = engine.head()!.timeS
    let switches = eventsOfType(pass(stepS()), 'mainPair')
    while (switches.length === 0 && engine.head()!.timeS < sinceS + 90)
      switches = eventsOfType(pass(stepS()), 'mainPair')
    expect(switches).toEqual([
      { type: 'mainPair', tokenId: 4, oldPairId: 1, newPairId: 2, isGraduation: false },
    ])
    expect(engine.head()!.timeS).toBe(sinceS + leadS)
    expect(engine.tokenState(4)).toMatchObject({ mainPairId: 2, pairIds: [2, 1] })
  },
)

test('behavior: a lead takes at least five blocks, and a switch needs pool events', () => {
  const { commit, ...chain } = createChain()
  const pass = (stepS: number) => eventsOfType(chain.pass(stepS), 'mainPair')
  commit(genesis)
  commit({ pairs: [pair(2, 4, 1)], events: [sync(2, 2_000, 3_000_000)] })
  for (let left = 4; left > 0; left -= 1) expect(pass(60)).toEqual([])
  expect(eventsOfType(commit({}, 60), 'mainPair')).toEqual([])
  expect(pass(60)).toHaveLength(1)
})

test('behavior: a block with a future time neither delays a switch nor hastens the next', () => {
  const { commit, ...chain } = createChain()
  const pass = (stepS: number) => eventsOfType(chain.pass(stepS), 'mainPair')
  const dayS = 86_400
  commit(genesis)
  // The lead starts in a block whose time is one day ahead.
  commit({ pairs: [pair(2, 4, 1)], events: [sync(2, 2_000, 3_000_000)] }, dayS)
  expect(pass(1 - dayS)).toEqual([])
  for (let left = 3; left > 0; left -= 1) expect(pass(1)).toEqual([])
  expect(pass(1)).toHaveLength(1)
  commit({ events: [sync(1, 2_000, 2_000)] })
  for (let left = 19; left > 0; left -= 1) expect(pass(1)).toEqual([])
  expect(pass(1)).toHaveLength(1)
})

test('behavior: a lead that is lost for one block starts over', () => {
  const { commit, ...chain } = createChain()
  const pass = () => eventsOfType(chain.pass(), 'mainPair')
  commit(genesis)
  commit({ pairs: [pair(2, 4, 1)], events: [sync(2, 2_000, 3_000_000)] })
  for (let left = 15; left > 0; left -= 1) pass()
  commit({ events: [sync(2, 2_000, 1_000_000)] })
  commit({ events: [sync(2, 2_000, 3_000_000)] })
  for (let left = 19; left > 0; left -= 1) expect(pass()).toEqual([])
  expect(pass()).toHaveLength(1)
})

test('behavior: an untrusted pair never prices a token', () => {
  const { engine, commit } = createChain()
  commit({ tokens, pairs: [pair(0, 0, 1), pair(1, 4, 0, false)], events: [sync(1, 1, 1_000)] })
  expect(engine.tokenState(4)).toMatchObject({ price: null, mainPairId: null, tvlUsd: 0 })
})

test('behavior: a launch goes through its states, and its pool becomes the main pair at once', () => {
  const { engine, commit, revert } = createChain()
  commit({ ...genesis, pairs: [...genesis.pairs], tokens })
  const origin = { index: 0, txHash: 'tx', wallet: 'dev' }
  const curve = { ...pair(2, 5, 0), kind: 'curve' as const, platform: 'launchpad' }
  const launch = { ...origin, type: 'launch', pairId: 2, tokenId: 5, creator: 'dev' } as const
  const made = commit({ pairs: [curve], events: [launch, sync(2, 1_000, 10)] })
  expect(eventsOfType(made, 'launch')).toEqual([
    { type: 'launch', state: 'created', tokenId: 5, pairId: 2 },
  ])
  expect(engine.launched('in')).toEqual([5])
  expect([engine.launchedBy('dev', 10), engine.launchedBy('other', 10)]).toEqual([[5], []])
  const fill = (filledPpm: number) =>
    eventsOfType(commit({ events: [{ type: 'curve', index: 0, pairId: 2, filledPpm }] }), 'launch')
  expect(fill(799_999)).toEqual([])
  expect(fill(800_000)).toMatchObject([{ state: 'almost' }])
  expect(fill(900_000)).toEqual([])
  expect(engine.launched('almost')).toEqual([5])
  const ids = { tokenId: 5, curvePairId: 2, pairId: 3 }
  const out = commit({
    pairs: [pair(3, 5, 0)],
    events: [sync(3, 1_000, 5), { ...origin, type: 'graduation', ...ids }],
  })
  expect(eventsOfType(out, 'launch')).toMatchObject([{ state: 'graduated', pairId: 3 }])
  expect(eventsOfType(out, 'mainPair')).toMatchObject([
    { oldPairId: 2, newPairId: 3, isGraduation: true },
  ])
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
  const openUsd = () => engine.pairDayOpenUsd(1, engine.head()!.timeS)
  commit(genesis)
  commit({ events: [swap(1, [-100, 60], [1_900, 1_060])] })
  const before = (1_060 / 1_900) * 2_000
  expect(openUsd()).toBe(before)
  commit({ events: [swap(1, [-100, 60], [1_800, 1_120])] }, 86_400)
  expect(openUsd()).toBe(before)
  commit({}, 86_400)
  expect(openUsd()).toBe((1_120 / 1_800) * 2_000)
})

test('behavior: a day starts at midnight, with or without a block', () => {
  const { engine, commit } = createChain()
  commit(genesis)
  commit({ events: [swap(1, [-100, 60], [1_900, 1_060])] })
  commit({ events: [swap(1, [-100, 60], [1_800, 1_120])] })
  const headS = engine.head()!.timeS
  const midnightS = Math.ceil(headS / 86_400) * 86_400
  for (const openUsd of [
    (nowS: number) => engine.pairDayOpenUsd(1, nowS),
    (nowS: number) => engine.tokenDayOpenUsd(4, nowS),
  ]) {
    expect(openUsd(midnightS - 1)).toBe((1_060 / 1_900) * 2_000)
    expect(openUsd(midnightS)).toBe((1_120 / 1_800) * 2_000)
    // A reader's clock behind the head reads the day of the head.
    expect(openUsd(headS - 86_400)).toBe((1_060 / 1_900) * 2_000)
  }
})
