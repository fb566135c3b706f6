import { expect, test } from 'vitest'
import {
  createChain,
  eventsOfType,
  genesis,
  pair,
  swap,
  sync,
} from '../../../../test/support/marketChain.ts'
import { marketLimitDefaults } from './marketLimits.ts'
import { windowsS } from './marketReads.ts'

const dayWindow = windowsS.length - 1

/**
 * A market where token 4 has a trusted pair, and an untrusted pair that claims a trade of a billion
 * dollars.
 */
function createFake() {
  const chain = createChain()
  chain.commit(genesis)
  chain.commit({ events: [swap(1, [-100, 60], [1_900, 1_060])] })
  const honest = chain.engine.tokenWindow(4, dayWindow, chain.engine.head()!.timeS)
  const events = chain.commit({
    pairs: [pair(2, 4, 1, false)],
    events: [swap(2, [-1, 1_000_000_000], [1, 1_000_000_000], 'mallory')],
  })
  return { ...chain, honest, events, nowS: chain.engine.head()!.timeS }
}

test('behavior: an untrusted pair adds nothing to the windows of its token', () => {
  const { engine, honest, nowS } = createFake()
  expect(honest).toMatchObject({ sellCount: 0, buyCount: 1, makers: 1 })
  expect(engine.tokenWindow(4, dayWindow, nowS)).toEqual(honest)
  const { makers: _, buyers: __, sellers: ___, ...trading } = honest
  expect(engine.tokenTrading(4, dayWindow, nowS)).toEqual(trading)
  expect(engine.tokenDayVolumeUsd(4, nowS)).toBe(120_000)
})

test('behavior: the window of an untrusted pair has its trades, without USD values', () => {
  const { engine, nowS, events } = createFake()
  const nothing = { buyVolumeUsdE8: 0n, sellVolumeUsdE8: 0n, organicVolumeUsdE8: 0n }
  const window = { buyCount: 1, makers: 1, amountRaw: 1n, ...nothing }
  expect(engine.pairWindow(2, dayWindow, nowS)).toMatchObject(window)
  expect(eventsOfType(events, 'swap')).toMatchObject([{ amountUsdE8: 0, amountNativeRaw: 0n }])
  expect(engine.openKline(2, 0)).toMatchObject({ count: 1, volumeUsdE8: 0n, volumeNativeRaw: 0n })
})

test('behavior: an untrusted pair changes nothing of its tokens', () => {
  const { engine, commit } = createChain()
  commit(genesis)
  commit({ pairs: [pair(2, 5, 0, false)], events: [swap(2, [-1, 9], [1, 9])] }, 60)
  expect(engine.tokenFacts(5)).toMatchObject({ launchedAtS: 0, updatedAtS: 0, price: null })
  const before = engine.tokenFacts(4)
  commit({ pairs: [pair(3, 4, 0, false)], events: [swap(3, [-1, 9], [1, 9])] }, 60)
  expect(engine.tokenFacts(4)).toEqual(before)
})

test('behavior: any number of untrusted pairs leaves room for a trusted one', () => {
  const { engine, commit } = createChain()
  commit(genesis)
  const count = 2 * marketLimitDefaults.tokenPairsReadMax
  const ids = Array.from({ length: count }, (_, index) => index + 2)
  commit({ pairs: ids.map((id) => pair(id, 5, 0, false)), events: ids.map((id) => sync(id, 1, 9)) })
  const last = count + 2
  commit({ pairs: [pair(last, 5, 0)], events: [swap(last, [-100, 10], [1_000, 1_000])] })
  const nowS = engine.head()!.timeS
  expect(engine.mainPairOf(5)).toBe(last)
  expect(engine.tokenFacts(5).price).toMatchObject({ native: 1, usd: 2_000 })
  expect(engine.tokenDayVolumeUsd(5, nowS)).toBe(20_000)
  expect(engine.tokenPairs(5, 2)).toEqual([last, 2])
  expect(engine.findPair(`pair-${last - 1}`)).toBe(last - 1)
})

test('behavior: a trade of two tokens is worth at most what the main pair could pay', () => {
  const { engine, commit } = createChain()
  commit(genesis)
  // Token 5 is worth 10 native coins in a pool that holds only 10 native coins.
  commit({ pairs: [pair(2, 5, 0), pair(3, 4, 5)], events: [sync(2, 1, 10)] })
  const events = commit({ events: [swap(3, [-1, 1_000_000], [1, 1_000_000])] })
  expect(eventsOfType(events, 'swap')).toMatchObject([
    { amountUsdE8: 20_000e8, amountNativeRaw: 10n },
  ])
  expect(engine.tokenDayVolumeUsd(4, engine.head()!.timeS)).toBe(20_000)
})

test('behavior: an untrusted pair has no TVL in any read', () => {
  const { engine, events } = createFake()
  expect(engine.pairTvlUsd(2)).toBe(0)
  expect(engine.pairState(2).tvlUsd).toBe(0)
  expect(engine.pairMarket(2).tvlUsd).toBe(0)
  expect(engine.tokenState(4).pairIds).toEqual([1, 2])
  expect(engine.tokenTvl(4).usd).toBe(engine.pairTvlUsd(1))
  expect(eventsOfType(events, 'swap')[0]?.quote).toMatchObject({
    liquidityUsd: 0,
    liquidityNative: 0,
  })
})

test('behavior: a launch curve of a configured platform is trusted', () => {
  const { engine, commit } = createChain()
  commit(genesis)
  const curve = { ...pair(2, 5, 0), kind: 'curve' as const, platform: 'launchpad' }
  commit({ pairs: [curve], events: [sync(2, 1_000, 10), swap(2, [-100, 2], [900, 12])] })
  expect(engine.tokenDayVolumeUsd(5, engine.head()!.timeS)).toBe(4_000)
  expect(engine.tokenTvl(5).usd).toBe(2 * 12 * 2_000)
})
