import { expect, test } from 'vitest'
import {
  createChain,
  genesis,
  pair,
  pick,
  swap,
  sync,
} from '../../../../test/support/marketChain.ts'
import { windowsS } from './marketReads.ts'

const dayWindow = windowsS.length - 1

/** Token 4 with a trusted pair, and with one that says it was traded for a billion dollars. */
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

test('behavior: its own window stays, for who asks for that pair', () => {
  const { engine, nowS } = createFake()
  expect(engine.pairWindow(2, dayWindow, nowS)).toMatchObject({ buyCount: 1, makers: 1 })
})

test('behavior: it has no TVL, whoever asks', () => {
  const { engine, events } = createFake()
  expect(engine.pairTvlUsd(2)).toBe(0)
  expect(engine.pairState(2).tvlUsd).toBe(0)
  expect(engine.pairMarket(2).tvlUsd).toBe(0)
  expect(engine.tokenState(4).pairIds).toEqual([1, 2])
  expect(engine.tokenTvlUsd(4)).toBe(engine.pairTvlUsd(1))
  expect(pick(events, 'swap')[0]?.quote).toMatchObject({ liquidityUsd: 0, liquidityNative: 0 })
})

test('behavior: a curve counts: its platform is in the config', () => {
  const { engine, commit } = createChain()
  commit(genesis)
  const curve = { ...pair(2, 5, 0), kind: 'curve' as const, platform: 'launchpad' }
  commit({ pairs: [curve], events: [sync(2, 1_000, 10), swap(2, [-100, 2], [900, 12])] })
  expect(engine.tokenDayVolumeUsd(5, engine.head()!.timeS)).toBe(4_000)
  expect(engine.tokenTvlUsd(5)).toBe(2 * 12 * 2_000)
})
