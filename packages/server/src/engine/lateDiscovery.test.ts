// Tests of pairs and tokens that existed before the first block that was read.
import { expect, test } from 'vitest'
import {
  createChain,
  genesis,
  pair,
  profile,
  swap,
  sync,
} from '../../../../test/support/marketChain.ts'
import type { LateFacts, PairCreation } from '../model/logEntry.ts'
import { restoreEngine } from './engine.ts'

const latePair = (...parts: Parameters<typeof pair>) => ({ ...pair(...parts), createdAtS: 0 })

function open() {
  const chain = createChain()
  chain.commit(genesis)
  return chain
}

test('default: a token of a pair discovered late has no launch time or price, even after new pairs', () => {
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

test('behavior: a quote token of a pair discovered late is not launched by its first own pair', () => {
  const { engine, commit } = open()
  commit({ pairs: [latePair(2, 4, 5)], events: [sync(2, 1_000, 1_000)] })
  commit({ pairs: [pair(3, 5, 0)], events: [sync(3, 1_000, 500)] })
  expect(engine.tokenState(5)).toMatchObject({ launchedAtS: 0, launchPriceUsd: null })
})

test('behavior: a quote token of a pair seen from its creation is launched by its first own pair', () => {
  const { engine, commit } = open()
  commit({ pairs: [pair(2, 4, 5)], events: [sync(2, 1_000, 1_000)] })
  commit({ pairs: [pair(3, 5, 0)], events: [sync(3, 1_000, 500)] })
  expect(engine.tokenState(5)).toMatchObject({ launchedAtS: 100, launchPriceUsd: 1_000 })
})

test('behavior: the launch time of a curve discovered late is unknown', () => {
  const { engine, commit } = open()
  const curve = { ...latePair(2, 5, 0), kind: 'curve' as const, platform: 'launchpad' }
  const origin = { index: 0, txHash: 'tx', wallet: 'alice' }
  const launch = { ...origin, type: 'launch' as const, pairId: 2, tokenId: 5, creator: '' }
  commit({ pairs: [curve], events: [launch, swap(2, [-100, 2], [900, 12])] })
  expect(engine.launchOf(5)).toMatchObject({ state: 'in', creator: '', createdAtS: 0 })
  expect(engine.tokenState(5)).toMatchObject({ launchedAtS: 0, launchPriceUsd: null })
})

test('behavior: a creation time reported late applies to the pair only, and is reverted with its block', () => {
  const { engine, commit, revert } = open()
  const tell = (...creations: PairCreation[]) => {
    const { number, hash } = engine.head()!
    const facts = { ref: { number, hash }, tokens: [], supplies: [], creations }
    return engine.apply({ type: 'late', facts })
  }
  const createdAt = () => [2, 3, 4].map((id) => engine.pairRecord(id).createdAtS)
  commit({ pairs: [latePair(2, 4, 5), latePair(3, 4, 0), pair(4, 4, 1)] })
  commit({})
  const before = engine.stateHash()
  const events = tell(
    { pairId: 2, createdAtS: 50 },
    { pairId: 3, createdAtS: null },
    // The creation of pair 4 was observed, so a late fact must not change it.
    { pairId: 4, createdAtS: 60 },
  )
  expect(events).toEqual([{ type: 'pair', pair: { ...latePair(2, 4, 5), createdAtS: 50 } }])
  expect(createdAt()).toEqual([50, 0, 100])
  expect([...engine.openQuestions('pairCreation')]).toEqual([])
  // A repeated fact and a fact about an unknown pair change nothing.
  expect(tell({ pairId: 2, createdAtS: 70 }, { pairId: 99, createdAtS: 1 })).toEqual([])
  // Token 5 was tradable before its pair was discovered, so its launch is unknown whatever the
  // creation time.
  commit({ pairs: [pair(5, 5, 0)], events: [sync(5, 1_000, 500)] })
  expect(engine.tokenState(5)).toMatchObject({ launchedAtS: 0, launchPriceUsd: null })
  revert()
  revert()
  commit({})
  expect(createdAt()).toEqual([0, 0, 100])
  expect(engine.stateHash()).toBe(before)
  tell({ pairId: 2, createdAtS: 50 })
  revert()
  revert()
  // After the revert, id 2 belongs to another pair.
  commit({ pairs: [latePair(2, 4, 1)] })
  expect(engine.pairRecord(2).createdAtS).toBe(0)
  expect([...engine.openQuestions('pairCreation')]).toEqual([2])
})

test("behavior: a token's creation time and a pool's shares reported late are reverted with their block", () => {
  const { engine, commit, revert } = open()
  const tell = (facts: Pick<LateFacts, 'tokenCreations' | 'shares'>, ref = engine.head()!) =>
    engine.apply({
      type: 'late',
      facts: { ref: { number: ref.number, hash: ref.hash }, tokens: [], supplies: [], ...facts },
    })
  const createdAt = () => [4, 5].map((id) => engine.tokenFacts(id).createdAtS)
  const isOpen = () => engine.openQuestions('tokenCreation').includes(4)
  commit({ pairs: [pair(2, 4, 5)] })
  const before = engine.stateHash()
  const first = engine.head()!
  tell({
    tokenCreations: [
      { tokenId: 4, createdAtS: 50 },
      { tokenId: 5, createdAtS: null },
      { tokenId: 99, createdAtS: 1 },
    ],
    shares: [
      { pairId: 2, total: 7n },
      { pairId: 99, total: 1n },
    ],
  })
  expect(createdAt()).toEqual([50, 0])
  expect(isOpen()).toBe(false)
  commit({})
  tell({ tokenCreations: [{ tokenId: 4, createdAtS: 60 }], shares: [{ pairId: 2, total: 9n }] })
  // A fact of an earlier block does not replace the newer value.
  tell({ shares: [{ pairId: 2, total: 8n }] }, first)
  expect([createdAt(), engine.pairShares(2)]).toEqual([[50, 0], 9n])
  revert()
  expect([createdAt(), engine.pairShares(2)]).toEqual([[50, 0], 8n])
  revert()
  commit({ pairs: [pair(2, 4, 5)] })
  expect([createdAt(), isOpen(), engine.pairShares(2)]).toEqual([[0, 0], true, null])
  expect(engine.stateHash()).toBe(before)
})

test('behavior: a restored engine knows which creations were searched', () => {
  const options = { profile: { ...profile, reorgDepthMax: 0 } }
  const { engine, commit } = createChain(options)
  commit({ ...genesis, pairs: [...genesis.pairs, latePair(2, 4, 5), latePair(3, 4, 0)] })
  const { number, hash } = engine.head()!
  const creations = [
    { pairId: 2, createdAtS: 50 },
    { pairId: 3, createdAtS: null },
  ]
  engine.apply({
    type: 'late',
    facts: {
      ref: { number, hash },
      tokens: [],
      supplies: [],
      creations,
      tokenCreations: [
        { tokenId: 4, createdAtS: 40 },
        { tokenId: 5, createdAtS: null },
      ],
      shares: [{ pairId: 2, total: 2n ** 80n }],
    },
  })
  const restored = restoreEngine(options, engine.snapshot())
  expect(restored.stateHash()).toBe(engine.stateHash())
  expect([...restored.openQuestions('pairCreation')]).toEqual([])
  expect(restored.pairRecord(2).createdAtS).toBe(50)
  expect(restored.openQuestions('tokenCreation')).toEqual(engine.openQuestions('tokenCreation'))
  expect(restored.tokenFacts(4).createdAtS).toBe(40)
  expect([2, 3].map(restored.pairShares)).toEqual([2n ** 80n, null])
})
