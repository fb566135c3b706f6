// Plain transfers to and from concentrated pools, tested with the whole resolver.
import { expect, test, vi } from 'vitest'
import {
  backfill,
  blockOf,
  describedPool,
  fakeReader,
  live,
  openResolver,
  poolEvent,
  swapEvent,
} from '../../../../../test/support/resolverFixture.ts'
import type { DecodedEvent } from '../../model/decodedBlock.ts'
import type { ResolvedEvent } from '../../model/resolvedBlock.ts'
import type { RecordReader } from '../records/recordCache.ts'
import { ConcentratedPools } from './concentratedPools.ts'

const concentrated = { kind: 'concentrated', factory: '0xfactory3', feePpm: 500 } as never

function giveEvent(index: number, to: string, token = '0xaaa', from = '0xwallet'): DecodedEvent {
  return { type: 'transfer', index, txHash: 'tx', token, from, to, amount: 1n }
}

const shiftsOf = (events: readonly ResolvedEvent[]) =>
  events.flatMap((event) => (event.type === 'reserve_change' ? [[event.index, event.pair.id]] : []))

test("default: a reserve change follows the last transfer after the pool's last event", async () => {
  const resolver = openResolver()
  const made = [poolEvent(0, '0xone', concentrated), poolEvent(1, '0xtwo', concentrated)]
  await resolver.resolve(blockOf(1, made), live)
  const events = [
    giveEvent(0, '0xone'),
    swapEvent(1, '0xone'),
    giveEvent(2, '0xone'),
    giveEvent(3, '0xone', '0xweth'),
    giveEvent(4, '0xtwo'),
    swapEvent(5, '0xtwo'),
    giveEvent(6, '0xwallet', '0xaaa', '0xone'),
    giveEvent(7, '0xwallet'),
  ]
  const { events: resolved } = await resolver.resolve(blockOf(2, events), live)
  expect(shiftsOf(resolved)).toEqual([[6, 0]])
  expect(resolved.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6, 6, 7])
})

test('behavior: a balance event of a pool also causes a reserve change', async () => {
  const resolver = openResolver()
  await resolver.resolve(blockOf(1, [poolEvent(0, '0xone', concentrated)]), live)
  const told = { type: 'balance', txHash: 'tx', token: '0xaaa', amount: 7n } as const
  const events: DecodedEvent[] = [
    { ...told, index: 0, owner: '0xone' },
    swapEvent(1, '0xone'),
    { ...told, index: 2, owner: '0xone', amount: 9n },
    { ...told, index: 3, owner: '0xwallet' },
    { ...told, index: 4, owner: '0xone', token: '0xbbb' },
  ]
  const { events: resolved } = await resolver.resolve(blockOf(2, events), live)
  expect(shiftsOf(resolved)).toEqual([[2, 0]])
  const balances = resolved.filter(({ type }) => type === 'balance')
  expect(balances).toMatchObject([
    { index: 0, txHash: 'tx', owner: '0xone', amount: 7n },
    { index: 2, owner: '0xone', amount: 9n },
    { index: 3, owner: '0xwallet', amount: 7n },
  ])
  // The balance event of an unknown token does not count as a dropped pool event.
  expect(resolver.stats().droppedEventCount).toBe(0)
})

test('behavior: one transfer may change the reserves of two pools', async () => {
  const resolver = openResolver()
  const events = [
    poolEvent(0, '0xone', concentrated),
    poolEvent(1, '0xtwo', concentrated),
    giveEvent(2, '0xtwo', '0xaaa', '0xone'),
  ]
  const { events: resolved } = await resolver.resolve(blockOf(1, events), live)
  expect(shiftsOf(resolved)).toEqual([
    [2, 0],
    [2, 1],
  ])
})

test('behavior: transfers of other tokens and to other kinds of pools change no reserves', async () => {
  const events = [
    poolEvent(0, '0xproduct'),
    poolEvent(1, '0xother', { token0: '0xbbb' } as never),
    poolEvent(2, '0xone', concentrated),
    giveEvent(3, '0xproduct'),
    giveEvent(4, '0xone', '0xbbb'),
  ]
  const { events: resolved } = await openResolver().resolve(blockOf(1, events), live)
  const types = resolved.map(({ type }) => type)
  expect(types.filter((type) => type !== 'liquidity')).toEqual(['transfer', 'transfer'])
})

test('behavior: a pool of an earlier run is recognized, with its state before the block', async () => {
  const made = await openResolver().resolve(blockOf(1, [poolEvent(0, '0xone', concentrated)]), live)
  const listPairs = vi.fn<RecordReader['listPairs']>(async () => made.pairs)
  const findPairs = vi.fn<RecordReader['findPairs']>(async (addresses) =>
    made.pairs.filter(({ address }) => addresses.includes(address)),
  )
  const findTokens = async () => made.tokens
  const findCouples = async () => []
  const records = { listPairs, findCouples, findPairs, findTokens }
  const resolver = openResolver({ records, nextTokenId: 2, nextPairId: 1 })
  const strangers = Array.from({ length: 500 }, (_, i) => giveEvent(i, `0xw${i}`))
  await resolver.resolve(blockOf(2, strangers), backfill)
  expect(findPairs).not.toHaveBeenCalled()
  const resolved = await resolver.resolve(blockOf(3, [giveEvent(0, '0xone')]), backfill)
  expect(shiftsOf(resolved.events)).toEqual([[0, 0]])
  expect(resolved.firstStates).toMatchObject([{ pair: { id: 0 }, priceRaw: 3 }])
  expect(listPairs).toHaveBeenCalledTimes(1)
})

test('behavior: a reverted pool has no reserve changes', async () => {
  const resolver = openResolver({ reader: fakeReader({ '0xmet': describedPool }) })
  await resolver.resolve(blockOf(1, [swapEvent(0, '0xmet')]), live)
  const given = await resolver.resolve(blockOf(2, [giveEvent(0, '0xmet')]), live)
  expect(shiftsOf(given.events)).toEqual([[0, 0]])
  resolver.revert(given.ref)
  resolver.revert(blockOf(1, []).ref)
  const events = [poolEvent(0, '0xone', concentrated), giveEvent(1, '0xmet')]
  const again = await resolver.resolve(blockOf(1, events, 'b'), live)
  expect(shiftsOf(again.events)).toEqual([])
})

test('behavior: stored pools are listed by page and a failed listing resumes', async () => {
  const addresses = Array.from({ length: 25_000 }, (_, id) => ({ id, address: `0x${id}` }))
  const read: RecordReader['listPairs'] = async ({ afterId, limit }) =>
    addresses.slice(afterId + 1, afterId + 1 + limit)
  const list = vi.fn(read)
  const pools = new ConcentratedPools({ list, filterBytes: 100_000 })
  await pools.loadStored()
  await pools.loadStored()
  expect(list.mock.calls.map(([{ afterId }]) => afterId)).toEqual([-1, 9_999, 19_999])
  expect(addresses.every(({ address }) => pools.mayContain(address))).toBe(true)
  const failing = vi.fn(read).mockImplementationOnce(read).mockRejectedValueOnce(new Error('down'))
  const retried = new ConcentratedPools({ list: failing, filterBytes: 100_000 })
  await expect(retried.loadStored()).rejects.toThrow('down')
  await retried.loadStored()
  expect(failing.mock.calls.map(([{ afterId }]) => afterId)).toEqual([-1, 9_999, 9_999, 19_999])
})
