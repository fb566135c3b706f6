// Topics `wallet` and `trades`: swaps of a wallet and of a whole chain.
import { expect, test } from 'vitest'
import {
  createFeedMarket,
  type Message,
  type TestSubscriber,
} from '../../../../../../test/support/feedMarket.ts'
import {
  createManualMarket,
  rest,
  transactionIds,
} from '../../../../../../test/support/manualMarket.ts'
import { pair, profile, swap } from '../../../../../../test/support/marketChain.ts'
import type { FinishedEvent } from '../../../model/finishedBlock.ts'
import type { LogEntry } from '../../../model/logEntry.ts'

const shallow = { ...profile, reorgDepthMax: 1 }
const alice = 'wallet:alice-local'
const large = 'trades:local:min_usd=100000'
const ofOther = 'trades:local:venue=other'

/** A sale of token 4 for native coins, at 2,000 USD each. */
const trade = (wallet: string, natives: number, txHash: string, pairId = 1): FinishedEvent =>
  ({ ...swap(pairId, [-100, natives], [1_900, 1_060], wallet), txHash }) as FinishedEvent

/** Commits blocks with two venues and an untrusted pool. Both wallets trade in each block. */
function commitTrades({ commit }: Pick<ReturnType<typeof createManualMarket>, 'commit'>) {
  commit({
    pairs: [
      { ...pair(2, 4, 0), amm: 'other' },
      { ...pair(3, 4, 0, false), amm: 'other' },
    ],
    events: [trade('alice', 10, 'a'), trade('bob', 60, 'b'), trade('alice', 70, 'c', 3)],
  })
  commit()
  commit({ events: [trade('bob', 5, 'd', 2), trade('alice', 80, 'e', 2)] })
  commit({ events: [trade('alice', 90, 'f')] })
}

const hashes = (messages: readonly Message[]) =>
  messages.map(
    ({ result: { tx, retracted = false } }) => `${retracted ? '-' : ''}${tx.transaction}`,
  )

const expected = {
  [alice]: ['a', 'e', 'f'],
  'trades:local': ['a', 'b', 'c', 'd', 'e', 'f'],
  [large]: ['b', 'e', 'f'],
  [ofOther]: ['c', 'd', 'e'],
  [`${large}&venue=other`]: ['e'],
}
const keys = Object.keys(expected) as (keyof typeof expected)[]

test.each(keys)('default: %s pushes swaps as they happen', (key) => {
  const market = createManualMarket()
  const reader = market.subscribe(key)
  commitTrades(market)
  expect(hashes(reader.messages)).toEqual(expected[key])
  const { result } = reader.messages[0]
  const isWallet = key === alice
  expect(result.topic).toBe(isWallet ? 'wallet' : 'trades')
  expect(result.id).toBe(isWallet ? 'alice-local' : `${result.tx.pair_address}-local`)
  expect(result.tx).not.toHaveProperty('profile')
  market.unsubscribe(reader)
  market.commit({ events: [trade('alice', 90, 'g')] })
  expect(hashes(reader.messages)).toEqual(expected[key])
})

test('behavior: a swap has the same fields in every topic', () => {
  const market = createManualMarket()
  const readers = ['multi_tx:token-4-local', 'trades:local', alice].map((key) =>
    market.subscribe(key),
  )
  market.commit({ events: [trade('alice', 10, 'a')] })
  const [first, ...others] = readers.map(({ messages }) => messages[0].result.tx)
  for (const other of others) expect(other).toEqual(first)
})

test.each(keys)(
  'behavior: %s is replayed from memory, and from the store after a restart',
  async (key) => {
    const before = createManualMarket({ profile: shallow })
    const live = before.subscribe(key, 1, { revisions: true })
    commitTrades(before)
    const { store, log, refs } = before
    store.persistedNumber = refs.at(-1)!.number
    const start = `1-${refs[0]!.hash.slice(2, 10)}-2147483647`
    const since = [start, ...live.messages.map(({ cursor }) => cursor)]
    const after = createFeedMarket({ profile: shallow, store, log, limits: { replayPageMax: 2 } })
    for (const market of [before, after]) {
      const readers = since.map((cursor) => market.subscribe(key, 2, { since: cursor }))
      const newest = market.subscribe(key, 3, { snapshot: true })
      await rest()
      for (const [at, reader] of readers.entries()) {
        expect(hashes(reader.messages)).toEqual(expected[key].slice(at))
        expect(reader.pushes).toEqual(live.pushes.slice(at))
      }
      expect(hashes(newest.messages)).toEqual(expected[key])
      expect(newest.messages[0].result.snapshot).toBe(true)
    }
    expect(store.reads).toBeGreaterThan(0)
  },
)

test.each(keys)('behavior: reverted swaps of %s are retracted', async (key) => {
  const market = createManualMarket()
  const { commit, revert, subscribe } = market
  const revised = subscribe(key, 1, { revisions: true })
  const plain = subscribe(key, 2)
  commitTrades(market)
  const since = revised.messages.at(-1).cursor
  revert()
  revert()
  // One trade repeats in another block, the others do not.
  commit({ events: [trade('alice', 80, 'e', 2)] })
  const before = expected[key].filter((hash) => 'abc'.includes(hash))
  const reverted = expected[key].filter((hash) => 'def'.includes(hash))
  const back = reverted.toReversed().map((hash) => `-${hash}`)
  const again = reverted.filter((hash) => hash === 'e')
  expect(hashes(revised.messages)).toEqual([...before, ...reverted, ...back, ...again])
  expect(hashes(plain.messages)).toEqual([...before, ...reverted])
  const resumed = subscribe(key, 3, { since, revisions: true })
  await rest()
  expect(hashes(resumed.messages)).toEqual([...back, ...again])
})

test('behavior: snapshots of a chain are limited in age, those of a wallet are not', async () => {
  const dayS = 86_400
  const before = createManualMarket({ profile: shallow })
  before.commit({ events: [trade('alice', 60, 'old')] })
  before.commit({}, dayS + 1)
  before.commit({ events: [trade('bob', 60, 'new')] })
  const { store, log, refs } = before
  store.persistedNumber = refs.at(-1)!.number
  const { subscribe } = createFeedMarket({ profile: shallow, store, log: log as LogEntry[] })
  const readers = [alice, 'trades:local'].map((key) => subscribe(key, 1, { snapshot: true }))
  await rest()
  const [ofWallet, ofChain] = readers as [TestSubscriber, TestSubscriber]
  expect(hashes(ofWallet.messages)).toEqual(['old'])
  expect(hashes(ofChain.messages)).toEqual(['new'])
  expect(transactionIds(ofChain.messages)).toHaveLength(1)
})
