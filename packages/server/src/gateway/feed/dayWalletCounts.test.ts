import { expect, test } from 'vitest'
import { createChain, genesis, swap, sync } from '../../../../../test/support/marketChain.ts'
import type { GatewayChain } from '../chain/gatewayChain.ts'
import { DayWalletCounts } from './chainMarket.ts'

/** A market that records how often wallets are counted. */
function createCounted(countMax = 10) {
  const market = createChain()
  const { engine } = market
  let counts = 0
  const reads: typeof engine = {
    ...engine,
    pairWindow(...args) {
      counts += 1
      return engine.pairWindow(...args)
    },
    tokenWindow(...args) {
      counts += 1
      return engine.tokenWindow(...args)
    },
  }
  const makers = new DayWalletCounts(countMax)
  // `DayMakers` reads no other member of a chain.
  const chain = { reads } as unknown as GatewayChain
  const nowS = () => engine.head()!.timeS
  market.commit(genesis)
  market.commit({ events: [swap(1, [-100, 60], [1_900, 1_060], 'alice')] })
  return {
    ...market,
    ofPair: (atS = nowS()) => makers.count(chain, 'pair', 1, atS),
    ofToken: (atS = nowS()) => makers.count(chain, 'token', 4, atS),
    counts: () => counts,
    nowS,
  }
}

test('default: wallets are counted again after a trade, not when the quote token moves', () => {
  const { commit, ofPair, ofToken, counts } = createCounted()
  expect([ofPair(), ofToken(), counts()]).toEqual([1, 1, 2])
  for (let usd = 2_001; usd < 2_010; usd += 1) {
    commit({ events: [sync(0, 1_000, usd * 1_000)] })
    expect([ofPair(), ofToken(), counts()]).toEqual([1, 1, 2])
  }
  commit({ events: [swap(1, [-100, 60], [1_800, 1_120], 'bob')] })
  expect([ofPair(), ofToken(), counts()]).toEqual([2, 2, 4])
})

test('behavior: wallets are counted again when a trade leaves the day or a block is reverted', () => {
  const { commit, revert, ofPair, counts, nowS } = createCounted()
  expect(ofPair()).toBe(1)
  expect(ofPair(nowS() + 90_000)).toBe(0)
  expect(ofPair()).toBe(1)
  commit({ events: [swap(1, [-100, 60], [1_800, 1_120], 'bob')] })
  expect(ofPair()).toBe(2)
  revert()
  expect(ofPair()).toBe(1)
  expect(counts()).toBe(5)
})

test('args: countMax', () => {
  const { ofPair, ofToken, counts } = createCounted(1)
  for (let left = 2; left > 0; left -= 1) expect([ofPair(), ofToken()]).toEqual([1, 1])
  expect(counts()).toBe(2)
})
