import { expect, test } from 'vitest'
import type { Message } from '../../../../../test/support/feedMarket.ts'
import {
  buy,
  createManualMarket,
  microtask,
  rest,
  transactionIds,
} from '../../../../../test/support/manualMarket.ts'
import { pair, swap, sync, token } from '../../../../../test/support/marketChain.ts'
import type { FinishedEvent } from '../../model/finishedBlock.ts'

test('behavior: an id that a revert freed is not mistaken for its old pair', () => {
  const { subscribe, commit, revert } = createManualMarket()
  const old = subscribe('tx:pair-2-local')
  const other = subscribe('tx:pair-3-local')
  commit({ tokens: [token(6)], pairs: [pair(2, 6, 0)], events: [sync(2, 1_000, 1_000)] })
  revert()
  const address = { ...pair(2, 6, 0), address: 'pair-3' }
  commit({ tokens: [token(6)], pairs: [address], events: [sync(2, 1_000, 1_000)] })
  commit({ events: [{ ...swap(2, [-10, 10], [990, 1_010]), txHash: '0xcc' } as FinishedEvent] })
  expect(old.messages).toEqual([])
  expect(other.messages[0].result.id).toBe('pair-3')
})

test('behavior: without revisions a repeated swap is not pushed again', () => {
  const { subscribe, commit, revert } = createManualMarket()
  const reader = subscribe('tx:pair-1-local')
  commit({ events: [buy('0xaa'), buy('0xab', [1_800, 1_120])] })
  revert()
  const late = subscribe('tx:pair-1-local')
  // The first swap repeats unchanged, the second with other amounts.
  commit({ events: [sync(0, 1_000, 2_000_000), buy('0xaa'), buy('0xab', [1_810, 1_120])] })
  expect(transactionIds(reader.messages)).toEqual(['2-0', '2-1', '2-2'])
  // A reader that joined after the revert gets both swaps.
  expect(transactionIds(late.messages)).toEqual(['2-1', '2-2'])
  // The swap is reverted once more and included one block later.
  revert()
  commit()
  commit({ events: [buy('0xaa')] })
  expect(transactionIds(reader.messages)).toEqual(['2-0', '2-1', '2-2'])
})

test('behavior: a repeated swap is pushed to readers that missed it before the revert', async () => {
  const { subscribe, commit, revert } = createManualMarket()
  const ref = commit({ events: [buy('0xaa')] })
  const since = `1-${ref.parentHash.slice(2, 10)}-2147483647`
  const had = subscribe('tx:pair-1-local', 1, { since })
  revert()
  const resumed = subscribe('tx:pair-1-local', 2, { since })
  const held = subscribe('tx:pair-1-local', 3, { since: `2-${ref.hash.slice(2, 10)}-0` })
  await rest()
  commit()
  commit({ events: [buy('0xaa')] })
  expect(transactionIds(had.messages)).toEqual(['2-0'])
  expect(transactionIds(resumed.messages)).toEqual(['3-0'])
  // The reader that resumed with revisions gets the retraction, then the swap in its new block.
  expect(held.messages.map(({ result }) => result.retracted ?? false)).toEqual([true, false])
})

test('behavior: a swap repeated twice is not pushed to readers of the first repeat', () => {
  const { subscribe, commit, revert } = createManualMarket()
  commit({ events: [buy('0xaa')] })
  revert()
  const reader = subscribe('tx:pair-1-local')
  commit({ events: [buy('0xaa')] })
  revert()
  const late = subscribe('tx:pair-1-local')
  commit({ events: [buy('0xaa')] })
  expect(transactionIds(reader.messages)).toEqual(['2-0'])
  expect(transactionIds(late.messages)).toEqual(['2-0'])
})

test('behavior: without revisions a pair created again by another block is not pushed again', () => {
  const { subscribe, commit, revert } = createManualMarket()
  const reader = subscribe('new_pairs:local')
  const revised = subscribe('new_pairs:local', 1, { revisions: true })
  commit({ tokens: [token(6)], pairs: [pair(2, 6, 0), pair(3, 6, 1)] })
  revert()
  const late = subscribe('new_pairs:local')
  // The new branch may assign the same ids to other pairs.
  const other = { ...pair(2, 6, 1), address: 'pair-3' }
  commit({ tokens: [token(6)], pairs: [other, { ...pair(3, 4, 1), address: 'pair-4' }] })
  commit({ pairs: [{ ...pair(4, 6, 0), address: 'pair-2' }] })
  const pushed = ({ messages }: { messages: Message[] }) =>
    messages.map(({ result }) => `${result.retracted ? '-' : '+'}${result.pair.pair}`)
  expect(pushed(reader)).toEqual(['+pair-2', '+pair-3', '+pair-4'])
  expect(pushed(late)).toEqual(['+pair-3', '+pair-4', '+pair-2'])
  expect(pushed(revised)).toEqual(['+pair-2', '+pair-3', '-pair-3', '-pair-2'].concat(pushed(late)))
})

test('behavior: with revisions reverted events are retracted, newest first', () => {
  const { subscribe, commit, revert } = createManualMarket()
  const reader = subscribe('tx:pair-1-local', 1, { revisions: true })
  const multi = subscribe('multi_tx:token-4-local', 1, { revisions: true })
  const ref = commit({ events: [buy('0xaa'), buy('0xab', [1_800, 1_120])] })
  revert()
  commit({ events: [buy('0xaa')] })
  const pushed = reader.messages.map(({ result }) => [
    result.tx.transaction,
    result.retracted ?? false,
  ])
  const wanted = [
    ['0xaa', false],
    ['0xab', false],
    ['0xab', true],
    ['0xaa', true],
    ['0xaa', false],
  ]
  expect(pushed).toEqual(wanted)
  expect(
    multi.messages.map(({ result }) => [result.tx.transaction, result.retracted ?? false]),
  ).toEqual(wanted)
  const { retracted, ...taken } = reader.messages[2].result
  expect(retracted).toBe(true)
  expect(taken).toEqual(reader.messages[1].result)
  // After the retraction the reader's cursor is before that swap.
  expect(reader.messages[2].cursor).toBe(`2-${ref.hash.slice(2, 10)}-0`)
})

test('behavior: klines and prices are corrected right after a revert', async () => {
  const { subscribe, commit, revert } = createManualMarket()
  const kline = subscribe('kline:pair-1-local:k1440')
  const revised = subscribe('kline:pair-1-local:k1440', 1, { revisions: true })
  const price = subscribe('price:pair-1-local')
  await microtask()
  commit({ events: [buy('0xaa')] })
  commit({ events: [buy('0xab', [1_800, 1_120])] })
  revert()
  const [first, second, corrected] = kline.messages.map(({ result }) => result.kline.usd)
  expect(corrected).toEqual(first)
  expect(second.close).not.toBe(first.close)
  expect(kline.messages[2].result).not.toHaveProperty('revision')
  const marks = revised.messages.map(({ result: { revision, final } }) => ({ revision, final }))
  expect(marks).toEqual([
    { revision: 0, final: false },
    { revision: 0, final: false },
    { revision: 1, final: false },
  ])
  const uprices = price.messages.map(({ result }) => result.prices[0].uprice)
  expect(uprices).toHaveLength(4)
  expect(uprices[3]).toBe(uprices[1])
})

test('behavior: with revisions a kline is marked final, and one that never existed is retracted', () => {
  const { subscribe, commit, revert } = createManualMarket()
  const reader = subscribe('kline:pair-1-local:k1', 1, { revisions: true })
  commit({ events: [buy('0xaa')] })
  commit({ events: [buy('0xab', [1_800, 1_120])] }, 60)
  revert()
  const pushed = reader.messages.map(({ result: { final, revision, retracted, kline } }) => ({
    final,
    revision,
    retracted,
    minute: Math.floor(kline.usd.time / 60) % 60,
  }))
  const { minute } = pushed[0]!
  expect(pushed).toEqual([
    { final: false, revision: 0, retracted: undefined, minute },
    { final: true, revision: 0, retracted: undefined, minute },
    { final: false, revision: 0, retracted: undefined, minute: minute + 1 },
    { final: false, revision: 1, retracted: true, minute: minute + 1 },
    { final: false, revision: 1, retracted: undefined, minute },
  ])
})

test('behavior: with revisions a final kline reopens, and is retracted with the block that opened it', () => {
  const { subscribe, commit, revert } = createManualMarket()
  const reader = subscribe('kline:pair-1-local:k1', 1, { revisions: true })
  commit({ events: [buy('0xaa')] })
  // Ends the kline without a trade of its pair.
  commit({ events: [sync(0, 1_000, 2_000_000)] }, 60)
  revert()
  revert()
  const pushed = reader.messages.map(({ result: { final, revision, retracted } }) => ({
    final,
    revision,
    retracted,
  }))
  expect(pushed).toEqual([
    { final: false, revision: 0, retracted: undefined },
    { final: true, revision: 0, retracted: undefined },
    { final: false, revision: 1, retracted: undefined },
    { final: false, revision: 2, retracted: true },
  ])
})

test('behavior: new pairs are pushed, resumed and retracted', () => {
  const { subscribe, commit, revert } = createManualMarket()
  const reader = subscribe('new_pairs:local', 1, { revisions: true })
  const born = { tokens: [token(6)], pairs: [pair(2, 6, 0), pair(3, 6, 1)], events: [] }
  commit({ ...born, events: [sync(2, 1_000, 1_000)] })
  const events = reader.messages.map(({ result }) => [result.event, result.pair.pair])
  expect(events).toEqual([
    ['created', 'pair-2'],
    ['created', 'pair-3'],
  ])
  expect(reader.messages[0].result.pair).toMatchObject({
    reserve0: '1000',
    target_token: 'token-6',
  })
  const back = subscribe('new_pairs:local', 2, { since: reader.messages[0].cursor })
  expect(back.messages.map(({ result }) => result.pair.pair)).toEqual(['pair-3'])
  revert()
  const taken = reader.messages.slice(2).map(({ result }) => [result.retracted, result.pair.pair])
  expect(taken).toEqual([
    [true, 'pair-3'],
    [true, 'pair-2'],
  ])
})
