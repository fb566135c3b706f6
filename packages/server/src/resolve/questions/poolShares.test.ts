import { expect, test } from 'vitest'
import {
  backfill,
  blockOf,
  describedPool,
  fakeReader,
  liquidityEvent,
  live,
  openResolver,
  swapEvent,
} from '../../../../../test/support/resolverFixture.ts'
import type { PairRecord } from '../../model/pair.ts'

const v2Pool = { ...describedPool, venue: 'uniswapV2', kind: 'constantProduct' as const }

function open(options: { wanted?: PairRecord[]; shareReadsMax?: number } = {}) {
  const stranger = { ...v2Pool, isConfirmed: false }
  const reader = fakeReader({ '0xpool': v2Pool, '0xother': v2Pool, '0xstrange': stranger })
  const { shareReadsMax = 10 } = options
  const resolver = openResolver({
    reader,
    openQuestions: { unsharedPairs: options.wanted ?? [] },
    limits: { shareReadsMax, creationSearchesMax: 0 },
  })
  return {
    reader,
    resolver,
    told: () =>
      resolver
        .takeLateFacts()
        .flatMap(({ ref, shares = [] }) => shares.map((each) => ({ at: ref.number, ...each }))),
    block: (number: number, pools: string[] = [], how = live) =>
      resolver.resolve(
        blockOf(
          number,
          pools.map((pool, index) => liquidityEvent(index, pool)),
        ),
        how,
      ),
  }
}

test("default: shares are read at the head after each block that changes a pool's liquidity", async () => {
  const { reader, resolver, block, told } = open()
  await block(7, ['0xpool', '0xstrange'])
  await block(8)
  expect(reader.readShares.mock.calls).toEqual([[['0xpool'], { number: 7, hash: '7a' }]])
  expect(told()).toEqual([{ at: 7, pairId: 0, total: 70n }])
  await resolver.resolve(blockOf(9, [swapEvent(0, '0xpool')]), live)
  await block(10)
  expect(told()).toEqual([])
  reader.readShares.mockResolvedValueOnce([80n])
  await block(11, ['0xpool'])
  await block(12)
  expect(told()).toEqual([{ at: 11, pairId: 0, total: 80n }])
})

test('behavior: blocks of the same second share one request for all their pools', async () => {
  const { reader, resolver } = open()
  for (const [number, pool] of [
    [1, '0xpool'],
    [2, '0xother'],
    [3, '0xpool'],
  ] as const) {
    const { ref, events } = blockOf(number, [liquidityEvent(0, pool)])
    await resolver.resolve({ ref: { ...ref, timeS: 100 }, events }, live)
  }
  expect(reader.readShares).toHaveBeenCalledTimes(1)
  await resolver.resolve(blockOf(4, []), live)
  expect(reader.readShares.mock.calls[1]).toEqual([
    ['0xother', '0xpool'],
    { number: 4, hash: '4a' },
  ])
})

test('behavior: nothing is read while catching up, then all due pools in batches', async () => {
  const { reader, block, told } = open({ shareReadsMax: 1 })
  await block(1, ['0xpool', '0xother'], backfill)
  await block(2, ['0xpool'], backfill)
  expect(reader.readShares).not.toHaveBeenCalled()
  for (const number of [3, 4, 5]) await block(number)
  expect(told()).toEqual([
    { at: 3, pairId: 0, total: 70n },
    { at: 4, pairId: 1, total: 70n },
  ])
})

test('behavior: asked again if no node answered, not if the pool did not', async () => {
  const { reader, block, told } = open()
  reader.readShares.mockRejectedValueOnce(new Error('no'))
  await block(1, ['0xpool', '0xother'])
  reader.readShares.mockResolvedValueOnce([null, 90n])
  for (const number of [2, 3, 4]) await block(number)
  expect(told()).toEqual([{ at: 2, pairId: 1, total: 90n }])
  expect(reader.readShares).toHaveBeenCalledTimes(2)
})

test('behavior: shares read at a reverted block are read again, unless the pair was reverted too', async () => {
  const { resolver, block, told } = open()
  await block(7, ['0xpool'])
  await block(8, ['0xpool'])
  await block(9)
  expect(told()).toHaveLength(2)
  for (const number of [9, 8]) resolver.revert(blockOf(number, []).ref)
  await block(8)
  await block(9)
  expect(told()).toEqual([{ at: 8, pairId: 0, total: 70n }])
  for (const number of [9, 8, 7]) resolver.revert(blockOf(number, []).ref)
  await block(7)
  await block(8)
  expect(told()).toEqual([])
})

test('behavior: a pair whose request is pending during a revert is asked again', async () => {
  const { reader, resolver, block, told } = open()
  await block(6, ['0xpool'])
  await block(7)
  told()
  let answer = (_: bigint[]) => {}
  reader.readShares.mockImplementationOnce(
    () =>
      new Promise((resolve) => {
        answer = resolve
      }),
  )
  await block(8, ['0xpool'])
  resolver.revert(blockOf(8, []).ref)
  answer([1n])
  await block(8)
  await block(9)
  expect(told()).toEqual([{ at: 8, pairId: 0, total: 70n }])
})

test('behavior: pairs of an earlier run are asked, unless the limit is 0', async () => {
  const pair: PairRecord = {
    id: 4,
    address: '0xold',
    kind: 'constantProduct',
    token0Id: 0,
    token1Id: 1,
    factory: '0xf',
    amm: 'uniswapv2',
    isTrusted: true,
    feePpm: 500,
    createdAtS: 1,
    platform: null,
    venue: 'uniswapV2',
    params: [],
    pool: null,
    otherIds: [],
  }
  const first = open({ wanted: [pair, { ...pair, id: 5, kind: 'concentrated' }] })
  for (const number of [1, 2]) await first.block(number)
  expect(first.told()).toEqual([{ at: 1, pairId: 4, total: 70n }])
  const none = open({ wanted: [pair], shareReadsMax: 0 })
  for (const number of [1, 2]) await none.block(number, ['0xpool'])
  expect(none.reader.readShares).not.toHaveBeenCalled()
})
