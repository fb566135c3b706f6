// A market that was loaded again after a reorg deeper than the blocks in memory.
import { expect, test } from 'vitest'
import {
  buy,
  createManualMarket,
  rest,
  transactionIds,
} from '../../../../../../test/support/manualMarket.ts'
import { profile, swap } from '../../../../../../test/support/marketChain.ts'
import { createEngine } from '../../../engine/engine.ts'
import type { FinishedEvent } from '../../../model/finishedBlock.ts'
import type { LogEntry } from '../../../model/logEntry.ts'
import { RecentBlocks } from '../../chain/recentBlocks.ts'

const shallow = { ...profile, reorgDepthMax: 2 }
const sell = { ...swap(1, [50, -30], [2_000, 1_000]), txHash: '0xcc' } as FinishedEvent

/** Commits eight blocks and reverts all but the first three. */
function createRewound() {
  const market = createManualMarket({ profile: shallow })
  const { commit, log, chain, chains, feed } = market
  function rewind() {
    const engine = createEngine({ profile: shallow, mainPairLeadS: 0, mainPairLeadBlocksMin: 3 })
    const recent = new RecentBlocks({ ...shallow, seq: 0, number: -1, afterSeq: chain.recent.seq })
    const apply = (entry: LogEntry, seq: number) => {
      const applied = { chain: profile.name, seq, entry, events: engine.apply(entry) }
      recent.applied(applied)
      return applied
    }
    for (const [at, entry] of log.slice(0, 3).entries()) apply(entry, at + 1)
    chains.set(profile.name, { ...chain, reads: engine, recent })
    feed.chainReloaded(profile.name)
    return { apply: (entry: LogEntry) => feed.onApplied(apply(entry, 4)) }
  }
  commit({ events: [buy('0xaa')] })
  const ancestor = commit()
  return { ...market, ancestor, rewind }
}

test('default: after a deep reorg revisions end with a cursor, other subscriptions go on', () => {
  const { subscribe, commit, rewind, ancestor, feed, clock } = createRewound()
  const plain = ['tx:pair-1-local', 'kline:pair-1-local:k1', 'price:pair-1-local'].map((key) =>
    subscribe(key),
  )
  const beat = { revisions: true, heartbeatS: 1 }
  const revised = [
    subscribe('tx:pair-1-local', 2, beat),
    subscribe('kline:pair-1-local:k1', 3, { revisions: true }),
    subscribe('new_pairs:local', 4, { revisions: true }),
  ]
  for (let left = 5; left > 0; left -= 1) commit({ events: [buy(`0xb${left}`, [1_500, 1_400])] })
  for (const { messages } of [...plain, ...revised]) messages.length = 0
  const { apply } = rewind()

  const cursor = `${ancestor.number}-${ancestor.hash.slice(2, 10)}-0`
  for (const { messages } of revised) {
    expect(messages).toHaveLength(1)
    expect(messages[0].error.data).toEqual({ code: 'cursor_orphaned', param: 'since', cursor })
  }
  const [tx, kline, price] = plain.map(({ messages }) => messages)
  // The price after the first buy, with the native coin at 2,000 USD.
  const priceUsd = (1_060 / 1_900) * 2_000
  expect(tx).toEqual([])
  expect(Number(kline![0].result.kline.usd.close)).toBeCloseTo(priceUsd, 6)
  expect(Number(price![0].result.prices[0].uprice)).toBeCloseTo(priceUsd, 6)

  const { timeS, hash: parentHash, number } = ancestor
  const parent = { parentNumber: number, parentHash }
  const ref = { number: number + 1, hash: `0x${'ab'.repeat(32)}`, ...parent, timeS: timeS + 1 }
  const parts = { tokens: [], pairs: [], supplies: [], nativeUsd: null, receivedMs: 1 }
  const entry = {
    type: 'commit' as const,
    block: { ref, ...parts, events: [{ ...sell, index: 0 }] },
  }
  apply(entry)
  clock.ms += 60_000
  feed.tick(clock.ms)
  expect(transactionIds(tx!)).toEqual([`${ref.number}-0`])
  for (const { messages } of revised) expect(messages).toHaveLength(1)
})

test('behavior: a deep reorg ends running replays with an error', async () => {
  const { subscribe, commit, rewind, store } = createRewound()
  const ref = commit()
  store.persistedNumber = ref.number
  const since = `${ref.number}-${ref.hash.slice(2, 10)}-0`
  const reader = subscribe('kline:pair-1-local:k1', 1, { since })
  rewind()
  await rest()
  expect(reader.messages.map(({ error }) => error.data)).toEqual([
    { code: 'unavailable', param: 'since', cursor: since },
  ])
})

const revertedAt = (number: number) => ({ number, parentNumber: number - 1 })

test('behavior: a cursor far ahead is orphaned if the store reverted its block', async () => {
  const { subscribe, store, refs } = createRewound()
  const { number, hash } = refs.at(-1)!
  store.persistedNumber = number
  const faultOf = async (since: string) => {
    const reader = subscribe('tx:pair-1-local', 1, { since })
    await rest()
    return reader.messages[0].error.data
  }
  expect(await faultOf('90-ffffffff-0')).toMatchObject({ code: 'cursor_unknown', cursor: null })
  for (let taken = number + 1; taken <= 95; taken += 1) store.reverted.push(revertedAt(taken))
  const cursor = `${number}-${hash.slice(2, 10)}-2147483647`
  expect(await faultOf('90-ffffffff-0')).toMatchObject({ code: 'cursor_orphaned', cursor })
  expect(await faultOf('96-ffffffff-0')).toMatchObject({ code: 'cursor_unknown', cursor: null })
})

test('behavior: an orphaned cursor is answered with one of a block that was never reverted', async () => {
  const { subscribe, commit, store, refs } = createRewound()
  for (let left = 20; left > 0; left -= 1) commit()
  store.persistedNumber = refs.at(-1)!.number
  const orphaned = async () => {
    const reader = subscribe('tx:pair-1-local', 1, { since: `20-ffffffff-0` })
    await rest()
    return reader.messages[0].error.data
  }
  const endOf = (number: number) => {
    const { hash } = refs.find((ref) => ref.number === number)!
    return `${number}-${hash.slice(2, 10)}-2147483647`
  }
  expect(await orphaned()).toEqual({ code: 'cursor_orphaned', param: 'since', cursor: endOf(18) })
  for (let number = 6; number <= 22; number += 1) store.reverted.push(revertedAt(number))
  expect(await orphaned()).toEqual({ code: 'cursor_orphaned', param: 'since', cursor: endOf(5) })
})
