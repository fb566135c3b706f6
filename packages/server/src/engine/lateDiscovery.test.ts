// Pairs and tokens that were there before the first block that was read.
import { expect, test } from 'vitest'
import { createChain, genesis, pair, swap, sync } from '../../../../test/support/marketChain.ts'

const latePair = (...parts: Parameters<typeof pair>) => ({ ...pair(...parts), createdAtS: 0 })

function open() {
  const chain = createChain()
  chain.commit(genesis)
  return chain
}

test('default: neither launch time nor launch price, whatever pairs are made of the token later', () => {
  const { engine, commit, revert } = open()
  commit({ pairs: [latePair(2, 5, 0)], events: [swap(2, [-10, 5], [1_000, 500])] })
  const unknown = { launchedAtS: 0, launchPriceUsd: null }
  expect(engine.tokenState(5)).toMatchObject({ ...unknown, mainPairId: 2 })
  expect(engine.tokenState(5).price?.usd).toBe(1_000)
  commit({ pairs: [pair(3, 5, 1)], events: [sync(3, 1_000, 2_000_000)] })
  commit({ events: [swap(2, [-10, 5], [990, 505]), swap(3, [-10, 20_000], [990, 2_020_000])] })
  expect(engine.tokenState(5)).toMatchObject(unknown)
  for (let block = 0; block < 3; block += 1) revert()
  commit({ pairs: [pair(2, 5, 0)], events: [swap(2, [-10, 5], [1_000, 500])] })
  expect(engine.tokenState(5)).toMatchObject({ launchedAtS: 100, launchPriceUsd: 1_000 })
})

test('behavior: one that was the quote of such a pair is not launched with a pair of its own', () => {
  const { engine, commit } = open()
  commit({ pairs: [latePair(2, 4, 5)], events: [sync(2, 1_000, 1_000)] })
  commit({ pairs: [pair(3, 5, 0)], events: [sync(3, 1_000, 500)] })
  expect(engine.tokenState(5)).toMatchObject({ launchedAtS: 0, launchPriceUsd: null })
})

test('behavior: one that was the quote of a pair from its creation on is', () => {
  const { engine, commit } = open()
  commit({ pairs: [pair(2, 4, 5)], events: [sync(2, 1_000, 1_000)] })
  commit({ pairs: [pair(3, 5, 0)], events: [sync(3, 1_000, 500)] })
  expect(engine.tokenState(5)).toMatchObject({ launchedAtS: 100, launchPriceUsd: 1_000 })
})

test('behavior: when a curve was launched of which no launch was seen is not known', () => {
  const { engine, commit } = open()
  const curve = { ...latePair(2, 5, 0), kind: 'curve' as const, platform: 'launchpad' }
  const origin = { index: 0, txHash: 'tx', wallet: 'alice' }
  const launch = { ...origin, type: 'launch' as const, pairId: 2, tokenId: 5, creator: '' }
  commit({ pairs: [curve], events: [launch, swap(2, [-100, 2], [900, 12])] })
  expect(engine.launchOf(5)).toMatchObject({ state: 'in', creator: '', createdAtS: 0 })
  expect(engine.tokenState(5)).toMatchObject({ launchedAtS: 0, launchPriceUsd: null })
})
