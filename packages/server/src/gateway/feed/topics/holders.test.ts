import { expect, test } from 'vitest'
import { createHandMarket, rest } from '../../../../../../test/support/handMarket.ts'

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
const holder = (wallet: string, balance: bigint) => ({ wallet, balance })

function open(limits = {}) {
  const market = createHandMarket({ limits })
  const { store, feed, refs } = market
  /** Reads what the store has as of the newest block. */
  async function tick() {
    store.persistedNumber = refs.at(-1)!.number
    feed.tick(0)
    await rest()
  }
  return { ...market, tick }
}

test('default: the count at once and when a block changes it', () => {
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
  // A second reader is told what is now, the first nothing.
  const other = subscribe(key, 2, { snapshot: true })
  expect(other.messages[0].result.holders).toMatchObject({ holders: 5, holders_before: null })
  expect(reader.messages).toHaveLength(2)
})

test('behavior: the largest holders, and then what changes among them', async () => {
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
  // Nothing was stored since: nothing is read.
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

test('behavior: a reorg corrects the count at once', () => {
  const { commit, revert, subscribe } = open()
  commit({ supplies: [supply(3)] })
  const reader = subscribe(key)
  commit({ supplies: [supply(9)] })
  revert()
  const counts = reader.messages.map(({ result }) => result.holders.holders)
  expect(counts).toEqual([3, 9, 3])
})

test('behavior: who resumes is sent what is now, whatever came and was reverted meanwhile', () => {
  const { commit, revert, subscribe } = open()
  commit({ supplies: [supply(3)] })
  const reader = subscribe(key, 1, { revisions: true })
  commit({ supplies: [supply(9)] })
  const since = reader.messages.at(-1).cursor
  revert()
  commit({ supplies: [supply(4)] })
  const resumed = subscribe(key, 2, { since, revisions: true })
  expect(resumed.messages.map(({ result }) => result.holders.holders)).toEqual([4])
  expect(resumed.messages[0].result.holders.holders_before).toBe(null)
})

test('behavior: many tokens are read in turns', async () => {
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
