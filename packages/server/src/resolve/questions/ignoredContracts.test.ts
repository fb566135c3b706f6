import { expect, test } from 'vitest'
import {
  backfill,
  blockOf,
  describedPool,
  fakeReader,
  live,
  openResolver,
  swapEvent,
} from '../../../../../test/support/resolverFixture.ts'
import { RpcError, type RpcErrorKind } from '../../chain/errors.ts'
import { type PoolAnswer, poolQueryOf } from '../../model/pool.ts'
import type { IgnoredContract } from '../../model/trust/ignoredContracts.ts'
import type { ChainReader } from '../chainReader.ts'
import type { ResolverLimits } from '../resolverOptions.ts'

const failure = (kind: RpcErrorKind) =>
  new RpcError({ kind, method: 'eth_call', endpoint: null, detail: 'no' })

/** Opens a resolver with a manual clock and a scripted node. */
function open(changes: Partial<ResolverLimits> = {}, known: IgnoredContract[] = []) {
  const reader = fakeReader()
  let nowMs = 0
  const clock = { nowMs: () => nowMs, sleep: async () => undefined }
  const ignoredContracts = known
  const limits = { ignoreMs: 1_000, ignoreMsMax: 4_000, reviewEveryMs: 0, ...changes }
  const resolver = openResolver({ reader, clock, ignoredContracts, limits })
  const answers: { now: PoolAnswer | null; before: PoolAnswer | null | RpcError } = {
    now: null,
    before: null,
  }
  reader.readPools.mockImplementation(async (addresses, _, options) => {
    const answer = options?.isExact ? answers.before : answers.now
    if (answer instanceof RpcError) throw answer
    return addresses.map(() => answer)
  })
  return {
    reader,
    resolver,
    answers,
    trade: (number: number, settledNumber = -1) =>
      resolver.resolve(blockOf(number, [swapEvent(0, '0xpool')]), { ...live, settledNumber }),
    /** Resolves a block without events. */
    quiet: (number: number, settledNumber = -1) =>
      resolver.resolve(blockOf(number, []), { ...live, settledNumber }),
    pass(ms: number) {
      nowMs += ms
    },
  }
}

test('default: a contract that is not a pool is ignored for growing periods', async () => {
  const { reader, trade, pass, resolver } = open({ reviewsMax: 0 })
  await trade(1)
  const asked: number[] = []
  for (let second = 1; second <= 16; second += 1) {
    const before = reader.readPools.mock.calls.length
    pass(999)
    await trade(2 * second)
    pass(1)
    await trade(2 * second + 1)
    if (reader.readPools.mock.calls.length > before) asked.push(second)
  }
  // Pauses of 1, 2 and 4 seconds, and never more than 4.
  expect(asked).toEqual([1, 3, 7, 11, 15])
  expect(resolver.stats()).toMatchObject({ ignoredContractCount: 1, droppedEventCount: 33 })
})

test('behavior: ignored contracts are asked again without a new event, a few at a time, at low priority', async () => {
  const { reader, resolver, quiet, pass } = open({ reviewsMax: 2 })
  const events = ['0xa', '0xb', '0xc'].map((pool, index) => swapEvent(index, pool))
  await resolver.resolve(blockOf(1, events), live)
  pass(1_000)
  await quiet(2)
  await quiet(3)
  await quiet(4)
  const [, ...reviews] = reader.readPools.mock.calls
  expect(reviews).toEqual([
    [['0xa', '0xb'].map(poolQueryOf), { number: 2, hash: '2a' }, { isBackground: true }],
    [['0xc'].map(poolQueryOf), { number: 3, hash: '3a' }, { isBackground: true }],
  ])
})

test('behavior: unanswered contracts are asked again, but not with every block', async () => {
  const { reader, trade, quiet, pass, answers, resolver } = open({ reviewEveryMs: 100 })
  await trade(1)
  pass(1_000)
  reader.readPools.mockRejectedValueOnce(failure('failed'))
  await quiet(2)
  await quiet(3)
  expect(reader.readPools).toHaveBeenCalledTimes(2)
  pass(100)
  answers.now = describedPool
  await quiet(4)
  await quiet(5)
  expect(reader.readPools).toHaveBeenCalledTimes(4)
  expect(resolver.stats().ignoredContractCount).toBe(0)
})

test('behavior: a pool that no longer trades is reinstated', async () => {
  const { trade, quiet, pass, answers } = open()
  await trade(5)
  pass(1_000)
  answers.now = describedPool
  answers.before = describedPool
  await quiet(6, 4)
  await expect(quiet(7, 4)).rejects.toMatchObject({ since: { number: 5, hash: '5a' } })
})

test('behavior: contracts ignored by an earlier run are asked at once and reinstated', async () => {
  const since = { number: 5, hash: '5a', parentNumber: 4, parentHash: '4a' }
  const { quiet, answers } = open({}, [{ address: '0xpool', since }])
  answers.now = describedPool
  answers.before = describedPool
  await quiet(9, 4)
  await expect(quiet(10, 4)).rejects.toMatchObject({ since })
})

test('behavior: ignored events and their outcome are reported to the store', async () => {
  const { resolver, trade, quiet, pass, answers } = open()
  const none = { missed: [], cleared: [], forgotten: [], leftOut: [] }
  await trade(5)
  expect(resolver.takeIgnoredChanges()).toEqual({ ...none, leftOut: ['0xpool'] })
  await quiet(6)
  expect(resolver.takeIgnoredChanges()).toBeNull()
  await trade(7)
  expect(resolver.takeIgnoredChanges()).toEqual({ ...none, leftOut: ['0xpool'] })
  pass(1_000)
  answers.now = describedPool
  await trade(8)
  expect(resolver.takeIgnoredChanges()).toEqual({ ...none, cleared: ['0xpool'] })
})

test('behavior: when full, the most often asked contract is forgotten and reported', async () => {
  const { resolver, pass, reader } = open({ ignoredContractsMax: 2 })
  const meet = (number: number, pool: string) =>
    resolver.resolve(blockOf(number, [swapEvent(0, pool)]), live)
  await meet(1, '0xold')
  // Asked three more times, each when its pause is over.
  for (const [number, ms] of [1_000, 2_000, 4_000].entries()) {
    pass(ms)
    await meet(2 + number, '0xold')
  }
  await meet(6, '0xyoung')
  resolver.takeIgnoredChanges()
  await meet(7, '0xnew')
  expect(resolver.takeIgnoredChanges()!.forgotten).toMatchObject([{ address: '0xold' }])
  await meet(8, '0xnewest')
  expect(resolver.takeIgnoredChanges()!.forgotten).toEqual([
    { address: '0xyoung', isSettled: false },
  ])
  expect(resolver.stats().ignoredContractCount).toBe(2)
  expect(reader.readPools).toHaveBeenCalled()
})

test('behavior: a contract that became a pool counts as one from then on', async () => {
  const { trade, pass, answers, resolver, reader } = open()
  await trade(1)
  pass(1_000)
  answers.now = describedPool
  expect((await trade(2)).events).toHaveLength(1)
  expect(reader.readPools).toHaveBeenLastCalledWith(
    [poolQueryOf('0xpool')],
    { number: 1, hash: '1a' },
    { isExact: true },
  )
  expect(resolver.stats().ignoredContractCount).toBe(0)
  expect(resolver.takeIgnoredChanges()).toMatchObject({ missed: [], cleared: ['0xpool'] })
})

test('behavior: a contract that was always a pool is re-read from its first ignored block', async () => {
  const { trade, pass, answers } = open()
  await trade(5)
  pass(1_000)
  await trade(6)
  pass(2_000)
  answers.now = describedPool
  answers.before = describedPool
  await expect(trade(7, 4)).rejects.toMatchObject({
    code: 'RESOLVE_POOL_PROVED',
    since: { number: 5, hash: '5a', parentNumber: 4, parentHash: '4a' },
  })
})

test('behavior: other pools ignored earlier are reinstated with it', async () => {
  const { resolver, reader, trade, pass, answers } = open()
  const settled = { ...live, settledNumber: 1 }
  for (const [number, pool] of [
    [1, '0xsettled'],
    [2, '0xnone'],
    [3, '0xother'],
  ] as const)
    await resolver.resolve(blockOf(number, [swapEvent(0, pool)]), settled)
  await trade(5)
  pass(1_000)
  answers.now = describedPool
  reader.readPools.mockImplementation(async (addresses) =>
    addresses.map(({ pool }) => (pool === '0xnone' ? null : describedPool)),
  )
  await expect(trade(7, 1)).rejects.toMatchObject({ since: { number: 3, hash: '3a' } })
})

test.each([
  ['final', 5, describedPool],
  ['not available from any node', 4, failure('notFound')],
] as const)(
  'behavior: if that block is %s, the missing trades are reported',
  async (_, settled, before) => {
    const { trade, pass, answers, resolver } = open()
    await trade(5)
    pass(1_000)
    answers.now = describedPool
    answers.before = before
    expect((await trade(9, settled)).pairs).toMatchObject([{ address: '0xpool' }])
    expect(resolver.takeIgnoredChanges()).toMatchObject({ missed: ['0xpool'], cleared: [] })
  },
)

test('behavior: a reverted block has ignored no events', async () => {
  const { trade, pass, answers, resolver } = open()
  const first = await trade(5)
  pass(1_000)
  await trade(6)
  resolver.revert(blockOf(6, []).ref)
  resolver.revert(first.ref)
  answers.now = describedPool
  answers.before = describedPool
  expect((await trade(5)).pairs).toHaveLength(1)
  expect(resolver.takeIgnoredChanges()).toBeNull()
})

test.each(['failed', 'notFound', 'rateLimited', 'forbidden', 'timeout', 'refused'] as const)(
  'behavior: a node failure (%s) marks no contract as not a pool',
  async (kind) => {
    const reader = fakeReader({ '0xpool': describedPool })
    const answer = reader.readPools.getMockImplementation() as ChainReader['readPools']
    const unresolved: number[] = []
    const sleep = async () => {
      const { unresolvedPoolCount: count } = resolver.stats()
      // Transfer scans also sleep, but after the block is resolved.
      if (count > 0) unresolved.push(count)
    }
    const resolver = openResolver({ reader, clock: { nowMs: () => 0, sleep } })
    reader.readPools.mockImplementation((addresses, at) =>
      unresolved.length < 12 ? Promise.reject(failure(kind)) : answer(addresses, at),
    )
    const events = [swapEvent(0, '0xpool'), swapEvent(1, '0xother')]
    const { pairs } = await resolver.resolve(blockOf(1, events), backfill)
    expect(pairs).toMatchObject([{ address: '0xpool' }])
    expect(unresolved).toEqual(Array(12).fill(2))
    expect(resolver.stats()).toMatchObject({ unresolvedPoolCount: 0, ignoredContractCount: 1 })
  },
)
