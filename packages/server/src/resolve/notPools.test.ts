import { expect, test } from 'vitest'
import {
  backfill,
  blockOf,
  fakeReader,
  live,
  metPool,
  openResolver,
  swapEvent,
} from '../../../../test/support/resolverFixture.ts'
import { RpcError, type RpcErrorKind } from '../chain/errors.ts'
import type { ChainReader, PoolAnswer } from './chainReader.ts'

const failure = (kind: RpcErrorKind) =>
  new RpcError({ kind, method: 'eth_call', endpoint: 'node', detail: 'no' })

/** A resolver whose clock and node are in the hands of the test. */
function open() {
  const reader = fakeReader()
  let nowMs = 0
  const clock = { nowMs: () => nowMs, sleep: async () => undefined }
  const resolver = openResolver({ reader, clock, limits: { notPoolMs: 1_000 } })
  const answers: { now: PoolAnswer | null; before: PoolAnswer | null | RpcError } = {
    ...{ now: null, before: null },
  }
  reader.readPools.mockImplementation(async (addresses, _, options) => {
    const answer = options?.isExact ? answers.before : answers.now
    if (answer instanceof RpcError) throw answer
    return addresses.map(() => answer)
  })
  return {
    ...{ reader, resolver, answers },
    trade: (number: number, settledNumber = -1) =>
      resolver.resolve(blockOf(number, [swapEvent(0, '0xpool')]), { ...live, settledNumber }),
    pass(ms: number) {
      nowMs += ms
    },
  }
}

test('default: one that is none is left alone for a while, and asked again after it', async () => {
  const { reader, trade, pass, resolver } = open()
  await trade(1)
  pass(999)
  await trade(2)
  expect(reader.readPools).toHaveBeenCalledTimes(1)
  pass(1)
  await trade(3)
  expect(reader.readPools).toHaveBeenCalledTimes(2)
  pass(999)
  await trade(4)
  expect(reader.readPools).toHaveBeenCalledTimes(2)
  expect(resolver.stats()).toMatchObject({ notPoolCount: 1, droppedEventCount: 4 })
})

test('behavior: one that has become a pool since is one from now on', async () => {
  const { trade, pass, answers, resolver, reader } = open()
  await trade(1)
  pass(1_000)
  answers.now = metPool
  expect((await trade(2)).events).toHaveLength(1)
  expect(reader.readPools).toHaveBeenLastCalledWith(
    ...(['0xpool'].map((pool) => [pool]) as [string[]]),
    { number: 1, hash: '1a' },
    { isExact: true },
  )
  expect(resolver.stats()).toMatchObject({ notPoolCount: 0, missedPools: null })
})

test('behavior: one that was a pool all the time is read again from the first block that was left out', async () => {
  const { trade, pass, answers } = open()
  await trade(5)
  pass(1_000)
  await trade(6)
  pass(1_000)
  answers.now = metPool
  answers.before = metPool
  await expect(trade(7, 4)).rejects.toMatchObject({
    code: 'RESOLVE_POOL_PROVED',
    since: { number: 5, hash: '5a', parentHash: '4a' },
  })
})

test('behavior: others that were left out before it, and were pools, are made good with it', async () => {
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
  answers.now = metPool
  reader.readPools.mockImplementation(async (addresses) =>
    addresses.map((address) => (address === '0xnone' ? null : metPool)),
  )
  await expect(trade(7, 1)).rejects.toMatchObject({ since: { number: 3, hash: '3a' } })
})

test.each([
  ['final', 5, metPool],
  ['not to be asked about', 4, failure('notFound')],
] as const)(
  'behavior: where that block is %s, what is missing is told',
  async (_, settled, before) => {
    const { trade, pass, answers, resolver } = open()
    await trade(5)
    pass(1_000)
    answers.now = metPool
    answers.before = before
    expect((await trade(9, settled)).pairs).toMatchObject([{ address: '0xpool' }])
    expect(resolver.stats().missedPools).toEqual({ count: 1, fromNumber: 5, toNumber: 8 })
  },
)

test('behavior: a block that is reverted has left nothing out', async () => {
  const { trade, pass, answers, resolver } = open()
  const first = await trade(5)
  pass(1_000)
  await trade(6)
  resolver.revert(blockOf(6, []).ref)
  resolver.revert(first.ref)
  answers.now = metPool
  answers.before = metPool
  expect((await trade(5)).pairs).toHaveLength(1)
  expect(resolver.stats().missedPools).toBeNull()
})

test.each(['failed', 'notFound', 'rateLimited', 'forbidden', 'timeout', 'refused'] as const)(
  'behavior: a node that fails with %s has not said that anything is no pool',
  async (kind) => {
    const reader = fakeReader({ '0xpool': metPool })
    const answer = reader.readPools.getMockImplementation() as ChainReader['readPools']
    const unresolved: number[] = []
    const sleep = async () => {
      const { unresolvedPoolCount: count } = resolver.stats()
      // Histories sleep too, once the block is resolved.
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
    expect(resolver.stats()).toMatchObject({ unresolvedPoolCount: 0, notPoolCount: 1 })
  },
)
