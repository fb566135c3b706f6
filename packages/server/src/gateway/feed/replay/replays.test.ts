import { expect, test } from 'vitest'
import { createFeedMarket } from '../../../../../../test/support/feedMarket.ts'
import {
  buy,
  createManualMarket,
  rest,
  transactionIds,
} from '../../../../../../test/support/manualMarket.ts'
import { profile } from '../../../../../../test/support/marketChain.ts'
import { defaultFeedLimits } from '../feed.ts'

test('behavior: a snapshot comes first, then live pushes', async () => {
  const { subscribe, commit } = createManualMarket({
    limits: { snapshotEventsMax: 2 },
    hasHistory: false,
  })
  for (const hash of ['0x01', '0x02', '0x03']) commit({ events: [buy(hash)] })
  const tx = subscribe('tx:pair-1-local', 1, { snapshot: true })
  const kline = subscribe('kline:pair-1-local:k5', 1, { snapshot: true })
  const plain = subscribe('kline:pair-1-local:k5')
  commit({ events: [buy('0x04')] })
  await rest()
  const pushed = tx.messages.map(({ result }) => [result.tx.transaction, result.snapshot ?? false])
  expect(pushed).toEqual([
    ['0x02', true],
    ['0x03', true],
    ['0x04', false],
  ])
  expect(kline.messages).toHaveLength(2)
  expect(plain.messages).toHaveLength(1)
})

test('behavior: a snapshot reads the store if memory has too few events', async () => {
  const before = createManualMarket()
  for (const hash of ['0x01', '0x02', '0x03']) before.commit({ events: [buy(hash)] })
  before.store.persistedNumber = before.refs.at(-1)!.number
  const shallow = { ...profile, reorgDepthMax: 1 }
  const { subscribe } = createFeedMarket({
    profile: shallow,
    store: before.store,
    log: before.log,
  })
  const reader = subscribe('tx:pair-1-local', 1, { snapshot: true })
  await rest()
  expect(reader.messages.map(({ result }) => result.tx.transaction)).toEqual([
    '0x01',
    '0x02',
    '0x03',
  ])
  expect(reader.messages.every(({ cursor }) => typeof cursor === 'string')).toBe(true)
})

test('behavior: a resumed kline subscription gets each missed kline once, then the open one', async () => {
  const { subscribe, commit, store, refs } = createManualMarket()
  commit({ events: [buy('0x01')] })
  const reader = subscribe('kline:pair-1-local:k1', 1, { snapshot: true })
  const { cursor } = reader.messages[0]
  commit({ events: [buy('0x02')] })
  commit({ events: [buy('0x03')] }, 60)
  store.persistedNumber = refs.at(-1)!.number
  commit({ events: [buy('0x04')] }, 60)
  const back = subscribe('kline:pair-1-local:k1', 2, { since: cursor })
  await rest()
  const minutes = back.messages.map(({ result }) => result.kline.usd.time / 60)
  expect(minutes).toEqual([0, 1, 2].map((later) => minutes[0]! + later))
  expect(back.messages.map(({ result }) => result.kline.usd.volume)).toEqual([
    '240000',
    '120000',
    '120000',
  ])
})

test.each([
  ['7-00000000-0', 'cursor_orphaned', -32010],
  ['1-00000000-0', 'cursor_orphaned', -32010],
  ['900000-00000000-0', 'cursor_unknown', -32011],
])('error: since %s', async (since, code, rpcCode) => {
  const { subscribe, commit, apply, refs, clock, feed } = createManualMarket()
  apply({ type: 'finalize', ref: refs[0]! })
  const reader = subscribe('tx:pair-1-local', 3, { since })
  commit({ events: [buy('0xaa')] })
  // A cursor slightly ahead waits for its block, so let that wait time out.
  feed.tick(clock.ms + defaultFeedLimits.aheadWaitMsMax)
  await rest()
  expect(reader.messages).toMatchObject([
    { id: 3, jsonrpc: '2.0', error: { code: rpcCode, data: { code, param: 'since' } } },
  ])
})

test('error: the last common cursor can be resumed from', async () => {
  const { subscribe, commit, apply, refs } = createManualMarket()
  apply({ type: 'finalize', ref: refs[0]! })
  commit({ events: [buy('0xaa')] })
  const reader = subscribe('tx:pair-1-local', 3, { since: '2-00000000-0' })
  await rest()
  const { cursor } = reader.messages[0].error.data
  const back = subscribe('tx:pair-1-local', 3, { since: cursor })
  await rest()
  expect(transactionIds(back.messages)).toEqual(['2-0'])
})

test.each(['tx:pair-1-local', 'kline:pair-1-local:k1'])(
  'behavior: %s gets nothing if it is ended while the store is read',
  async (key) => {
    const before = createManualMarket()
    for (const hash of ['0x01', '0x02', '0x03']) before.commit({ events: [buy(hash)] })
    const { store, log, refs } = before
    store.persistedNumber = refs.at(-1)!.number
    const shallow = { ...profile, reorgDepthMax: 1 }
    const { subscribe, unsubscribe } = createFeedMarket({ profile: shallow, store, log })
    const since = `1-${refs[0]!.hash.slice(2, 10)}-0`
    const stays = subscribe(key, 1, { since })
    const leaves = subscribe(key, 1, { since })
    unsubscribe(leaves)
    await rest()
    expect(stays.messages.length).toBeGreaterThan(0)
    expect(leaves.messages).toEqual([])
  },
)

test('error: a failed store read ends the subscription with an error', async () => {
  const { subscribe, commit, refs, store, apply } = createManualMarket({
    recentLimits: { recentBlocksMax: 1 },
  })
  for (const hash of ['0x01', '0x02']) commit({ events: [buy(hash)] })
  store.persistedNumber = 3
  apply({ type: 'finalize', ref: refs.at(-1)! })
  commit()
  // Every later read of stored blocks fails.
  Object.defineProperty(store, 'blocks', {
    get() {
      throw new Error('down')
    },
  })
  const reader = subscribe('tx:pair-1-local', 1, { since: `1-${refs[0]!.hash.slice(2, 10)}-0` })
  await rest()
  expect(reader.messages).toMatchObject([
    { id: 1, error: { code: -32003, data: { code: 'unavailable', param: 'since' } } },
  ])
})
