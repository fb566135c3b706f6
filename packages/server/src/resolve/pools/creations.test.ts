import { expect, test } from 'vitest'
import {
  backfill,
  blockOf,
  fakeReader,
  live,
  metPool,
  openResolver,
  swapEvent,
} from '../../../../../test/support/resolverFixture.ts'
import type { PairRecord } from '../../model/pair.ts'

/** A resolver whose clock is in the hands of the test, and a pool that was there before it. */
function open(options: { wanted?: PairRecord[]; creationSearchesMax?: number } = {}) {
  const stranger = { ...metPool, isConfirmed: false }
  const reader = fakeReader({ '0xmet': metPool, '0xother': metPool, '0xstrange': stranger })
  let nowMs = 0
  const { creationSearchesMax = 10 } = options
  const resolver = openResolver({
    reader,
    clock: { nowMs: () => nowMs, sleep: async () => undefined },
    uncreatedPairs: options.wanted,
    limits: { creationSearchesMax, creationRetryMs: 1_000, creationAttemptsMax: 2 },
  })
  const told = () =>
    resolver
      .lateFacts()
      .flatMap(({ ref, creations = [] }) =>
        creations.map((creation) => ({ under: ref.number, ...creation })),
      )
  return {
    ...{ reader, resolver, told },
    block: (number: number, pools: string[] = [], how = live) =>
      resolver.resolve(
        blockOf(
          number,
          pools.map((pool, index) => swapEvent(index, pool)),
        ),
        how,
      ),
    pass(ms: number) {
      nowMs += ms
    },
  }
}

test('default: the creation of a pool that was discovered late is looked for once, and told', async () => {
  const { reader, block, told } = open()
  reader.readCreatedAt.mockResolvedValue(50)
  await block(7, ['0xmet', '0xstrange'])
  await block(8)
  expect(reader.readCreatedAt).toHaveBeenCalledTimes(1)
  expect(reader.readCreatedAt.mock.calls[0]).toMatchObject(['0xmet', { number: 7, hash: '7a' }, {}])
  expect(told()).toEqual([{ under: 8, pairId: 0, createdAtS: 50 }])
  await block(9, ['0xmet'])
  expect(reader.readCreatedAt).toHaveBeenCalledTimes(1)
  expect(told()).toEqual([])
})

test('behavior: one at a time, and at the head only', async () => {
  const { reader, block, told } = open()
  let answer = (_: number) => {}
  reader.readCreatedAt.mockImplementation(
    () =>
      new Promise((resolve) => {
        answer = resolve
      }),
  )
  await block(1, ['0xmet', '0xother'], backfill)
  expect(reader.readCreatedAt).not.toHaveBeenCalled()
  await block(2)
  await block(3)
  expect(reader.readCreatedAt).toHaveBeenCalledTimes(1)
  answer(50)
  await block(4)
  await block(5)
  expect(reader.readCreatedAt).toHaveBeenCalledTimes(2)
  expect(told()).toEqual([{ under: 5, pairId: 0, createdAtS: 50 }])
})

test('behavior: that no node can tell is told, too, so that nobody asks again', async () => {
  const { block, told } = open()
  await block(7, ['0xmet'])
  await block(8)
  expect(told()).toEqual([{ under: 8, pairId: 0, createdAtS: null }])
})

test('behavior: where nobody answers it is tried again later, a few times', async () => {
  const { reader, block, told, pass } = open()
  reader.readCreatedAt.mockRejectedValue(new Error('no'))
  await block(1, ['0xmet'])
  await block(2)
  expect(reader.readCreatedAt).toHaveBeenCalledTimes(1)
  for (const number of [3, 5, 7]) {
    pass(1_000)
    await block(number)
    await block(number + 1)
  }
  expect(reader.readCreatedAt).toHaveBeenCalledTimes(2)
  expect(told()).toEqual([])
})

test('behavior: told under a block that is reverted, it is told again under the next, unless the pair went with it', async () => {
  const { reader, resolver, block, told } = open()
  reader.readCreatedAt.mockResolvedValue(50)
  await block(7, ['0xmet'])
  await block(8)
  expect(told()).toEqual([{ under: 8, pairId: 0, createdAtS: 50 }])
  resolver.revert(blockOf(8, []).ref)
  expect(told()).toEqual([])
  await block(8)
  expect(told()).toEqual([{ under: 8, pairId: 0, createdAtS: 50 }])
  resolver.revert(blockOf(8, []).ref)
  resolver.revert(blockOf(7, []).ref)
  await block(7)
  expect(told()).toEqual([])
})

test('behavior: pairs of an earlier run are looked for, no more than the limit, which may be none', async () => {
  const pair: PairRecord = {
    ...{ id: 4, address: '0xold', kind: 'concentrated', token0Id: 0, token1Id: 1, factory: '0xf' },
    ...{ amm: 'uniswapv3', isTrusted: true, feePpm: 500, createdAtS: 0, platform: null },
    ...{ venue: 'uniswapV3', params: [], pool: null, otherIds: [] },
  }
  const first = open({
    wanted: [pair, { ...pair, id: 5, address: '0xolder' }],
    creationSearchesMax: 1,
  })
  for (const number of [1, 2, 3]) await first.block(number)
  expect(first.told()).toMatchObject([{ pairId: 4 }])
  const none = open({ wanted: [pair], creationSearchesMax: 0 })
  for (const number of [1, 2]) await none.block(number)
  expect(none.reader.readCreatedAt).not.toHaveBeenCalled()
})
