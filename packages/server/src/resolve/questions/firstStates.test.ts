// Holdings of concentrated pools before their discovery, tested with the whole resolver.
import { expect, test, vi } from 'vitest'
import {
  backfill,
  blockOf,
  describedPool,
  fakeReader,
  live,
  manualClock,
  openResolver,
  poolEvent,
  swapEvent,
} from '../../../../../test/support/resolverFixture.ts'
import { pollOptions } from '../../../../../test/support/until.ts'
import type { PoolStateAnswer } from '../../model/pool.ts'
import type { ResolvedBlock } from '../../model/resolvedBlock.ts'
import type { ChainReader } from '../chainReader.ts'
import type { RecordReader } from '../records/recordCache.ts'

const metPools = Object.fromEntries(
  Array.from({ length: 9 }, (_, i) => [`0xmet${i}`, describedPool] as const),
)

/** Simulates a full node without states before block `stateFrom`. */
function prunedReader(stateFrom: number) {
  const reader = { ...fakeReader(metPools), stateFrom }
  reader.readStates.mockImplementation(async (pools, { number }) => {
    if (number < reader.stateFrom) throw new Error('missing trie node')
    return pools.map(() => ({ reserve0: 7n, reserve1: 8n, priceRaw: 3 }))
  })
  return reader
}

const toldIds = ({ firstStates }: ResolvedBlock) => firstStates.map(({ pair }) => pair.id)
const unknownIds = ({ unknownPools }: ResolvedBlock) => [...unknownPools]
const swapIn = (number: number, pool = '0xmet0') => blockOf(number, [swapEvent(3, pool)])

test('default: a pool without old state is unknown until the head, then its state is reported', async () => {
  const reader = prunedReader(50)
  const resolver = openResolver({ reader })
  for (let number = 4; number < 20; number++) {
    const block = await resolver.resolve(swapIn(number), backfill)
    expect([toldIds(block), unknownIds(block)]).toEqual([[], [0]])
  }
  expect(resolver.stats()).toMatchObject({ unknownPoolCount: 1, failedStateCount: 5 })
  const quiet = await resolver.resolve(blockOf(60, []), live)
  expect(reader.readStates).toHaveBeenLastCalledWith(
    [expect.objectContaining({ address: '0xmet0' })],
    { number: 59, hash: '59a' },
  )
  expect(quiet.firstStates).toMatchObject([{ pair: { id: 0 }, reserve0: 7n, reserve1: 8n }])
  // The block has no event of the pool, so a reserve change reports its state.
  expect(quiet.events).toMatchObject([{ type: 'reserve_change', index: 0, pair: { id: 0 } }])
  const next = await resolver.resolve(swapIn(61), live)
  expect([toldIds(next), unknownIds(next), next.events.length]).toEqual([[], [], 1])
  expect(resolver.stats().unknownPoolCount).toBe(0)
})

test('behavior: an event of the pool in the reporting block suffices, no reserve change is added', async () => {
  const resolver = openResolver({ reader: prunedReader(50) })
  await resolver.resolve(swapIn(4), backfill)
  const block = await resolver.resolve(swapIn(60), live)
  expect([toldIds(block), unknownIds(block)]).toEqual([[0], []])
  expect(block.events).toMatchObject([{ type: 'swap' }])
})

test("behavior: one failed request while catching up is repaired with the pool's next event", async () => {
  const reader = fakeReader(metPools)
  reader.readStates.mockRejectedValueOnce(new Error('busy'))
  const resolver = openResolver({ reader })
  expect(unknownIds(await resolver.resolve(swapIn(4), backfill))).toEqual([0])
  const next = await resolver.resolve(swapIn(5), backfill)
  expect([toldIds(next), unknownIds(next)]).toEqual([[0], []])
})

test('behavior: while catching up, a node without old state is asked with growing gaps, up to a limit', async () => {
  const reader = prunedReader(1_000)
  const limits = { firstStateGapBlocksMax: 16 }
  const resolver = openResolver({ reader, limits })
  const askedAt: number[] = []
  for (let number = 1; number < 100; number++) {
    const before = reader.readStates.mock.calls.length
    await resolver.resolve(swapIn(number, `0xmet${number % 9}`), backfill)
    if (reader.readStates.mock.calls.length > before) askedAt.push(number)
  }
  expect(askedAt).toEqual([1, 2, 4, 8, 16, 32, 48, 64, 80, 96])
  for (let number = 100; number < 112; number++)
    await resolver.resolve(swapIn(number, '0xmet0'), backfill)
  // After one success, requests are sent with every block again.
  reader.stateFrom = 0
  for (const number of [112, 113, 114]) {
    const block = await resolver.resolve(swapIn(number, `0xmet${number % 9}`), backfill)
    expect(toldIds(block)).toHaveLength(1)
  }
})

test('behavior: later transfers yield a state that no node keeps', async () => {
  const rewindStates = vi.fn<NonNullable<ChainReader['rewindStates']>>(async (pairs) =>
    pairs.map(({ address }) =>
      address === '0xmet1' ? null : { reserve0: 70n, reserve1: 80n, priceRaw: null },
    ),
  )
  const reader = { ...prunedReader(50), rewindStates }
  const resolver = openResolver({ reader })
  const first = await resolver.resolve(swapIn(4), backfill)
  expect(first.firstStates).toMatchObject([{ pair: { id: 0 }, reserve0: 70n, reserve1: 80n }])
  expect(unknownIds(first)).toEqual([])
  // A pool whose transfers do not add up stays unknown until the head.
  const second = await resolver.resolve(swapIn(5, '0xmet1'), backfill)
  expect([toldIds(second), unknownIds(second)]).toEqual([[], [1]])
  await resolver.resolve(swapIn(5, '0xmet1'), backfill)
  rewindStates.mockRejectedValueOnce(new Error('busy'))
  const third = await resolver.resolve(swapIn(6, '0xmet2'), backfill)
  expect([toldIds(third), unknownIds(third)]).toEqual([[], [2]])
  const asked = rewindStates.mock.calls.map(([pairs, { number }]) => [pairs.length, number])
  expect(asked).toEqual([
    [1, 3],
    [1, 4],
    [1, 5],
  ])
  const head = await resolver.resolve(blockOf(60, []), live)
  expect(toldIds(head)).toEqual([1, 2])
  expect(rewindStates).toHaveBeenCalledTimes(3)
})

test('behavior: unknown pools are asked again in rotation, a limited number per block', async () => {
  const reader = prunedReader(50)
  const resolver = openResolver({ reader, limits: { firstStatesMax: 4 } })
  const events = Object.keys(metPools).map((pool, i) => swapEvent(i, pool))
  await resolver.resolve(blockOf(4, events), backfill)
  expect(resolver.stats().unknownPoolCount).toBe(9)
  // A failed batch is queued again at the end.
  reader.readStates.mockRejectedValueOnce(new Error('busy'))
  const told: number[][] = []
  for (let number = 60; number < 64; number++)
    told.push(toldIds(await resolver.resolve(blockOf(number, []), live)))
  expect(told).toEqual([[], [4, 5, 6, 7], [8, 0, 1, 2], [3]])
})

test('behavior: an answer too late for a live block is used in the next one', async () => {
  const reader = fakeReader(metPools)
  const clock = manualClock()
  const answers: ((states: PoolStateAnswer[]) => void)[] = []
  reader.readStates.mockImplementation(() => new Promise((resolve) => answers.push(resolve)))
  const resolver = openResolver({ reader, clock })
  const resolving = resolver.resolve(swapIn(4), live)
  await vi.waitFor(() => expect(reader.readStates).toHaveBeenCalledTimes(1), pollOptions)
  clock.pass()
  expect(unknownIds(await resolving)).toEqual([0])
  // The state after block 4 is the state before block 5.
  expect(reader.readStates).toHaveBeenLastCalledWith(
    [expect.objectContaining({ address: '0xmet0' })],
    { number: 4, hash: '4a' },
  )
  answers[1]!([{ reserve0: 70n, reserve1: 80n, priceRaw: 4 }])
  const next = await resolver.resolve(swapIn(5), live)
  expect(next.firstStates).toMatchObject([{ reserve0: 70n, reserve1: 80n, priceRaw: 4 }])
  expect(reader.readStates).toHaveBeenCalledTimes(2)
})

test('behavior: an answer about another branch is not used', async () => {
  const reader = fakeReader(metPools)
  reader.readStates.mockRejectedValueOnce(new Error('busy'))
  reader.readStates.mockResolvedValueOnce([{ reserve0: 70n, reserve1: 80n, priceRaw: 4 }])
  const resolver = openResolver({ reader })
  await resolver.resolve(swapIn(4), live)
  const other = blockOf(5, [])
  const ref = { ...other.ref, parentHash: '4b' }
  const block = await resolver.resolve({ ...other, ref }, live)
  expect(block.firstStates).toMatchObject([{ reserve0: 7n, reserve1: 8n }])
  expect(reader.readStates).toHaveBeenLastCalledWith(
    [expect.objectContaining({ address: '0xmet0' })],
    { number: 4, hash: '4b' },
  )
})

test('behavior: reverting a block reverts the states it reported', async () => {
  const resolver = openResolver({ reader: prunedReader(60) })
  await resolver.resolve(swapIn(58), backfill)
  for (let time = 0; time < 2; time++) {
    const block = await resolver.resolve(blockOf(61, []), live)
    expect([toldIds(block), block.events.length]).toEqual([[0], 1])
    expect(resolver.stats().unknownPoolCount).toBe(0)
    resolver.revert(block.ref)
    expect(resolver.stats().unknownPoolCount).toBe(1)
  }
  expect(unknownIds(await resolver.resolve(swapIn(59), backfill))).toEqual([0])
})

test('behavior: reverting the block that discovered a pool forgets the pool', async () => {
  const resolver = openResolver({ reader: prunedReader(50) })
  const { ref } = await resolver.resolve(swapIn(4), backfill)
  resolver.revert(ref)
  expect(resolver.stats().unknownPoolCount).toBe(0)
  expect((await resolver.resolve(blockOf(60, []), live)).firstStates).toEqual([])
})

test('behavior: a contract that does not report balances stays unknown and is not asked again', async () => {
  const reader = fakeReader(metPools)
  reader.readStates.mockResolvedValue([{ reserve0: 7n, reserve1: null, priceRaw: 3 }])
  const resolver = openResolver({ reader })
  for (const number of [4, 5, 6]) {
    const block = await resolver.resolve(swapIn(number), live)
    expect([toldIds(block), unknownIds(block)]).toEqual([[], [0]])
  }
  expect(reader.readStates).toHaveBeenCalledTimes(1)
})

test('behavior: events of a pool created in the block are complete', async () => {
  const reader = fakeReader(metPools)
  reader.readStates.mockResolvedValue([{ reserve0: null, reserve1: null, priceRaw: null }])
  const resolver = openResolver({ reader })
  expect(unknownIds(await resolver.resolve(swapIn(4), live))).toEqual([])
  const kind = { kind: 'concentrated', factory: '0xfactory3', feePpm: 500 } as never
  const made = [poolEvent(0, '0xnew', kind), swapEvent(1, '0xnew')]
  expect(unknownIds(await resolver.resolve(blockOf(5, made), live))).toEqual([])
  expect(reader.readStates).toHaveBeenCalledTimes(1)
})

/** Opens a resolver as of a later run, with the records that an earlier run stored. */
async function reopen(isUnknown: boolean, stateFrom: number, isAsked = isUnknown) {
  const met = await openResolver({ reader: fakeReader(metPools) }).resolve(swapIn(4), backfill)
  const find = async (addresses: readonly string[]) =>
    met.pairs.filter(({ address }) => addresses.includes(address))
  const records: RecordReader = {
    findPairs: find,
    findCouples: async () => [],
    listPairs: async () => met.pairs,
    findTokens: async () => met.tokens,
  }
  const unknownPoolIds = isUnknown ? met.pairs.map(({ id }) => id) : []
  const unknown = { unknownPoolIds, unknownPools: isAsked ? met.pairs : [] }
  const ids = { nextTokenId: met.tokens.length, nextPairId: met.pairs.length }
  return openResolver({ reader: prunedReader(stateFrom), records, openQuestions: unknown, ...ids })
}

test('behavior: pools unknown to an earlier run stay unknown and are asked at the head', async () => {
  const resolver = await reopen(true, 50)
  expect(unknownIds(await resolver.resolve(swapIn(5), backfill))).toEqual([0])
  expect(toldIds(await resolver.resolve(blockOf(60, []), live))).toEqual([0])
})

test('behavior: an unknown pool beyond the queue limit is asked after its next trade', async () => {
  const resolver = await reopen(true, 50, false)
  expect(toldIds(await resolver.resolve(blockOf(60, []), live))).toEqual([])
  expect(resolver.stats().unknownPoolCount).toBe(1)
  // No node keeps the state of block 4.
  expect(unknownIds(await resolver.resolve(swapIn(5), backfill))).toEqual([0])
  expect(toldIds(await resolver.resolve(blockOf(61, []), live))).toEqual([0])
  expect(resolver.stats().unknownPoolCount).toBe(0)
})

test('behavior: pools known to an earlier run stay known, with or without an answer', async () => {
  const resolver = await reopen(false, 50)
  expect(unknownIds(await resolver.resolve(swapIn(5), backfill))).toEqual([])
  expect(resolver.stats().unknownPoolCount).toBe(0)
  // The stored state is still compared with the chain once a node has the pool's state.
  expect(toldIds(await resolver.resolve(swapIn(60), live))).toEqual([0])
})

test('behavior: a pool known only from a reverted block of an earlier run is unknown again', async () => {
  const { pairs } = await openResolver({ reader: fakeReader(metPools) }).resolve(
    swapIn(4),
    backfill,
  )
  const resolver = await reopen(false, 50)
  resolver.revert(blockOf(6, []).ref, {
    tokens: [],
    pairs: [],
    answeredQuestions: { unknownPools: pairs },
  })
  expect(unknownIds(await resolver.resolve(swapIn(6), backfill))).toEqual([0])
  expect(toldIds(await resolver.resolve(blockOf(60, []), live))).toEqual([0])
})
