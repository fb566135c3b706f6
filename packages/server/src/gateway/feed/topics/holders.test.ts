import { expect, test } from 'vitest'
import { createFeedMarket, type Message } from '../../../../../../test/support/feedMarket.ts'
import { buy, createManualMarket, rest } from '../../../../../../test/support/manualMarket.ts'
import { profile, token } from '../../../../../../test/support/marketChain.ts'
import type { BlockRef } from '../../../model/block.ts'
import type { FinishedBlock } from '../../../model/finishedBlock.ts'

const key = 'holders:token-4-local'
const supply = (holders: number) => ({
  tokenId: 4,
  total: 1_000n,
  burnt: 0n,
  locked: 0n,
  other: 0n,
  holders,
  isComplete: true,
})
const shallow = { ...profile, reorgDepthMax: 1 }
const holder = (wallet: string, balance: bigint) => ({ wallet, balance })

function open(limits = {}) {
  const market = createManualMarket({ limits })
  const { store, feed, refs } = market
  /** Stores the newest block and reads the largest holders from the store. */
  async function tick() {
    store.persistedNumber = refs.at(-1)!.number
    feed.tick(0)
    await rest()
  }
  return { ...market, tick }
}

/** Each push as `<count before>><count now>`, with a minus if it is a retraction. */
const pushed = (messages: readonly Message[]) =>
  messages.map(
    ({ result: { holders: of, retracted = false } }) =>
      `${retracted ? '-' : ''}${of.holders_before}>${of.holders}`,
  )

/** The block after a given one, for a market without generated blocks. */
function blockOn({ number, hash, timeS }: BlockRef, parts: Partial<FinishedBlock>): FinishedBlock {
  const next = { number: number + 1, hash: `0x${hash.slice(3)}f`, timeS: timeS + 1 }
  const ref = { ...next, parentNumber: number, parentHash: hash }
  const empty = { tokens: [], pairs: [], events: [], supplies: [], nativeUsd: null }
  return { ref, receivedMs: timeS * 1_000, ...empty, ...parts }
}

test('behavior: shares of an unknown supply are marked as unknown', () => {
  const { commit, subscribe } = open()
  commit({ supplies: [{ ...supply(3), total: 0n, isComplete: false }] })
  const reader = subscribe(key)
  commit({ supplies: [{ ...supply(4), total: 5n, isComplete: false }] })
  const [unknown, known] = reader.messages.map(({ result }) => result.holders)
  expect(unknown).toMatchObject({ total: '0', total_known: false })
  expect(known).not.toHaveProperty('total_known')
})

test('default: the holder count is pushed on subscribe and when a block changes it', () => {
  const { commit, subscribe } = open()
  commit({ supplies: [supply(3)] })
  const reader = subscribe(key)
  expect(reader.messages.map(({ result }) => result)).toEqual([
    {
      id: 'token-4-local',
      holders: {
        chain: 'local',
        holders: 3,
        holders_before: null,
        holders_complete: true,
        token: 'token-4',
        top: [],
        total: '1000',
      },
      topic: 'holders',
    },
  ])
  commit({ supplies: [supply(3)] })
  expect(reader.messages).toHaveLength(1)
  commit({ supplies: [supply(5)] })
  expect(reader.messages[1].result.holders).toMatchObject({ holders: 5, holders_before: 3 })
  // A second reader gets the current state, the first reader nothing.
  const other = subscribe(key, 2, { snapshot: true })
  expect(other.messages[0].result.holders).toMatchObject({ holders: 5, holders_before: null })
  expect(reader.messages).toHaveLength(2)
})

test('behavior: the largest holders are pushed first, then changes among them', async () => {
  const { commit, subscribe, store, tick } = open({ topHoldersMax: 2 })
  commit({ supplies: [supply(3)] })
  const reader = subscribe(key)
  store.topHolders.set(4, [holder('a', 500n), holder('b', 300n), holder('c', 200n)])
  await tick()
  const topOf = (at: number) => reader.messages[at].result.holders.top
  expect(topOf(1)).toEqual([
    { address: 'a', amount: '500', amount_before: null, balance_ratio: '0.5', rank: 1 },
    { address: 'b', amount: '300', amount_before: null, balance_ratio: '0.3', rank: 2 },
  ])
  // No block was stored since, so nothing is read.
  const { reads } = store
  await tick()
  expect(store.reads).toBe(reads)
  commit()
  await tick()
  expect(store.reads).toBe(reads + 1)
  expect(reader.messages).toHaveLength(2)
  store.topHolders.set(4, [holder('a', 450n), holder('c', 350n)])
  commit()
  await tick()
  expect(topOf(2)).toEqual([
    { address: 'a', amount: '450', amount_before: '500', balance_ratio: '0.45', rank: 1 },
    { address: 'c', amount: '350', amount_before: null, balance_ratio: '0.35', rank: 2 },
    { address: 'b', amount: null, amount_before: '300', balance_ratio: null, rank: null },
  ])
  const other = subscribe(key, 2)
  expect(other.messages[0].result.holders.top).toHaveLength(2)
})

test('behavior: a revert corrects the count at once', () => {
  const { commit, revert, subscribe } = open()
  commit({ supplies: [supply(3)] })
  const reader = subscribe(key)
  commit({ supplies: [supply(9)] })
  revert()
  const counts = reader.messages.map(({ result }) => result.holders.holders)
  expect(counts).toEqual([3, 9, 3])
})

test('behavior: with revisions a reverted count is retracted and not corrected as well', () => {
  const { commit, revert, subscribe } = open()
  commit({ supplies: [supply(3)] })
  const reader = subscribe(key, 1, { revisions: true })
  const plain = subscribe(key, 2)
  const ref = commit({ supplies: [supply(9)] })
  commit({ supplies: [supply(8)] })
  revert()
  revert()
  commit({ supplies: [supply(9)] })
  expect(pushed(reader.messages)).toEqual(['null>3', '3>9', '9>8', '-9>8', '-3>9', '3>9'])
  expect(pushed(plain.messages)).toEqual(['null>3', '3>9', '9>8', '8>9', '9>3', '3>9'])
  const [, first, , , taken] = reader.messages.map(({ result }) => result)
  expect(taken).toEqual({ ...first, retracted: true })
  // After the retraction the reader's cursor is before that block.
  expect(reader.messages[1].cursor).toBe(`3-${ref.hash.slice(2, 10)}-0`)
  expect(reader.messages[4].cursor).toBe(`2-${ref.parentHash.slice(2, 10)}-2147483647`)
})

test('behavior: a resume from memory repeats each missed count, then becomes live', () => {
  const { commit, subscribe, refs } = open()
  const live = subscribe(key, 1, { revisions: true })
  const start = `1-${refs[0]!.hash.slice(2, 10)}-0`
  commit({ supplies: [supply(3)] })
  commit({ events: [buy('0xaa'), buy('0xab', [1_800, 1_120])], supplies: [supply(5)] })
  commit()
  commit({ supplies: [{ ...supply(5), total: 2_000n }] })
  commit({
    supplies: [
      { ...supply(4), isComplete: false },
      { ...supply(7), tokenId: 3 },
    ],
  })
  const since = [start, ...live.messages.map(({ cursor }) => cursor)]
  const resumed = since.map((cursor) => subscribe(key, 1, { since: cursor }))
  commit({ supplies: [supply(6)] })
  expect(pushed(live.messages)).toEqual(['null>3', '3>5', '5>4', '4>6'])
  for (const [at, reader] of resumed.entries()) {
    expect(reader.texts).toEqual(live.texts.slice(at))
    expect(reader.pushes).toEqual(live.pushes.slice(at))
  }
  // A reader that has seen a whole block, by a heartbeat's cursor, gets nothing of that block
  // again.
  const end = `${refs.at(-1)!.number}-${refs.at(-1)!.hash.slice(2, 10)}-2147483647`
  expect(subscribe(key, 1, { since: end }).messages).toEqual([])
})

test('behavior: counts of a reverted branch are retracted first, newest first', async () => {
  const { commit, revert, subscribe } = open()
  commit({ supplies: [supply(3)] })
  const reader = subscribe(key, 1, { revisions: true })
  commit({ supplies: [supply(9)] })
  const first = reader.messages.at(-1).cursor
  commit({ supplies: [supply(8)] })
  const second = reader.messages.at(-1).cursor
  revert()
  revert()
  commit({ supplies: [supply(4)] })
  const canonical = reader.messages.at(-1).cursor
  commit({ supplies: [supply(5)] })
  const resume = async (since: string) => {
    const resumed = subscribe(key, 2, { since, revisions: true })
    await rest()
    return pushed(resumed.messages)
  }
  expect(await resume(second)).toEqual(['-9>8', '-3>9', '3>4', '4>5'])
  expect(await resume(first)).toEqual(['-3>9', '3>4', '4>5'])
  expect(await resume(canonical)).toEqual(['4>5'])
})

test('behavior: counts of a token that a reverted block created are retracted, even if its id is reused', async () => {
  const { commit, revert, subscribe } = open()
  const ofNew = 'holders:token-6-local'
  const count = (holders: number) => ({ ...supply(holders), tokenId: 6 })
  const reader = subscribe(ofNew, 1, { revisions: true })
  const plain = subscribe(ofNew, 2)
  commit({ tokens: [token(6)], supplies: [count(2)] })
  commit({ supplies: [count(3)] })
  const since = reader.messages.at(-1).cursor
  revert()
  revert()
  commit({ tokens: [{ ...token(6), address: 'token-7' }], supplies: [count(70)] })
  const resumed = subscribe(ofNew, 3, { since, revisions: true })
  const other = subscribe('holders:token-7-local', 4, { since, revisions: true })
  await rest()
  commit({ tokens: [{ ...token(7), address: 'token-6' }] })
  commit({ supplies: [{ ...count(3), tokenId: 7 }] })
  const retracted = ['-2>3', '-null>2']
  expect(pushed(reader.messages)).toEqual(['null>2', '2>3', ...retracted, 'null>3'])
  expect(pushed(resumed.messages)).toEqual([...retracted, 'null>3'])
  expect(pushed(plain.messages)).toEqual(['null>2', '2>3', '3>2', 'null>3'])
  expect(pushed(other.messages)).toEqual(['null>70'])
})

test('behavior: a resume from before memory gets the current state once, then becomes live', async () => {
  const before = createManualMarket({ profile: shallow })
  before.commit({ supplies: [supply(3)] })
  const reader = before.subscribe(key, 1, { revisions: true })
  before.commit({ supplies: [supply(4)] })
  before.commit({ supplies: [supply(5)] })
  const { store, log, refs } = before
  store.persistedNumber = refs.at(-1)!.number
  // After a restart only one block is in memory.
  const after = createFeedMarket({ profile: shallow, store, log })
  const [old, adjoining, newest] = reader.messages.map(({ cursor }) => cursor)
  const resumed = [old, `3-${refs[2]!.hash.slice(2, 10)}-2147483647`, adjoining, newest].map(
    (since) => after.subscribe(key, 1, { since }),
  )
  // This block arrives while the store looks up the cursors.
  after.apply({ type: 'commit', block: blockOn(refs.at(-1)!, { supplies: [supply(6)] }) })
  await rest()
  const second = after.engine.head()!
  after.apply({ type: 'commit', block: blockOn(second, { supplies: [supply(7)] }) })
  expect(resumed.map(({ messages }) => pushed(messages))).toEqual([
    ['null>6', '6>7'],
    ['4>5', '5>6', '6>7'],
    ['null>6', '6>7'],
    ['5>6', '6>7'],
  ])
  expect(resumed[0]!.messages[0].result).not.toHaveProperty('snapshot')
})

test('behavior: a snapshot is marked and holds the current state, then live pushes follow', async () => {
  const { commit, subscribe, store, tick } = open()
  commit({ supplies: [supply(3)] })
  store.topHolders.set(4, [holder('a', 500n)])
  subscribe(key)
  await tick()
  const reader = subscribe(key, 2, { snapshot: true })
  commit({ supplies: [supply(5)] })
  expect(pushed(reader.messages)).toEqual(['null>3', '3>5'])
  expect(reader.messages.map(({ result }) => result.snapshot ?? false)).toEqual([true, false])
  expect(reader.messages.map(({ result }) => result.holders.top.length)).toEqual([1, 0])
  // For an unknown token there is nothing to send yet.
  expect(subscribe('holders:nothing-local', 3, { snapshot: true }).messages).toEqual([])
})

test('behavior: a resume gets the missed counts, then the current largest holders', async () => {
  const { commit, subscribe, store, tick } = open()
  commit({ supplies: [supply(3)] })
  const reader = subscribe(key, 1, { revisions: true })
  store.topHolders.set(4, [holder('a', 500n), holder('b', 300n)])
  await tick()
  const since = reader.messages.at(-1).cursor
  commit({ supplies: [supply(4)] })
  commit({ supplies: [supply(5)] })
  const resumed = subscribe(key, 2, { since })
  const topOf = () =>
    resumed.messages.map(({ result }) => result.holders.top.map((one: Message) => one.address))
  expect(pushed(resumed.messages)).toEqual(['3>4', '4>5', '5>5'])
  expect(topOf()).toEqual([[], [], ['a', 'b']])
  store.topHolders.set(4, [holder('a', 500n), holder('b', 200n)])
  await tick()
  expect(topOf()[3]).toEqual(['b'])
})

test('behavior: resuming after any lost push neither misses nor repeats a count', async () => {
  const { commit, revert, subscribe, store, tick } = open()
  commit({ supplies: [supply(3)] })
  const reader = subscribe(key)
  commit({ supplies: [supply(9)] })
  store.topHolders.set(4, [holder('a', 500n)])
  await tick()
  revert()
  expect(pushed(reader.messages)).toEqual(['null>3', '3>9', '9>9', '9>3'])
  const resumed = reader.pushes.map(({ cursor }) => subscribe(key, 2, { since: cursor }))
  await rest()
  // Each replay ends with the largest holders.
  expect(resumed.map(({ messages }) => pushed(messages))).toEqual([
    ['3>3'],
    ['3>3'],
    ['-3>9', '3>3'],
    ['-3>9', '3>3'],
  ])
})

test('behavior: the largest holders of many tokens are read a few per second', async () => {
  const { subscribe, commit, store, tick } = open({ topHoldersReadsMax: 2 })
  commit()
  for (const id of [0, 1, 2, 3, 4]) subscribe(`holders:token-${id}-local`, id)
  const counts: number[] = []
  for (let ticks = 0; ticks < 4; ticks += 1) {
    await tick()
    counts.push(store.reads)
  }
  expect(counts).toEqual([2, 4, 5, 5])
})
