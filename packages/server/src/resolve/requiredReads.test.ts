import { expect, test, vi } from 'vitest'
import {
  backfill,
  blockOf,
  describedPool,
  fakeReader,
  noRecords,
  openResolver,
  poolEvent,
  swapEvent,
} from '../../../../test/support/resolverFixture.ts'
import { RpcError } from '../chain/errors.ts'
import { AppError } from '../lib/errors.ts'
import type { NodeFault } from '../model/block.ts'
import type { RecordReader } from './records/recordCache.ts'

const away = new RpcError({
  kind: 'unreachable',
  method: 'eth_call',
  endpoint: null,
  detail: 'ECONNREFUSED',
})

test('behavior: unreachable nodes are waited for without a limit', async () => {
  const reader = fakeReader({ '0xpool': describedPool })
  const waits: NodeFault[] = []
  let sleeps = 0
  const sleep = async () => {
    sleeps += 1
    const fault = resolver.waitingFor()
    if (fault !== null) waits.push(fault)
  }
  const resolver = openResolver({ reader, clock: { nowMs: () => 0, sleep } })
  reader.readPools.mockImplementation(async (addresses) => {
    if (sleeps < 200) throw away
    return addresses.map(() => describedPool)
  })
  const { pairs } = await resolver.resolve(blockOf(1, [swapEvent(0, '0xpool')]), backfill)
  expect(pairs).toMatchObject([{ address: '0xpool' }])
  expect(waits).toHaveLength(200)
  expect(waits[199]!.summary).toBe('pools: RPC_UNREACHABLE')
  expect(waits[199]!.text).toContain('pools: The node did not answer eth_call: unreachable.')
  expect(resolver.waitingFor()).toBeNull()
})

test('error: an abort ends the wait, and the same block can be retried', async () => {
  const reader = fakeReader({ '0xpool': describedPool })
  const stopping = new AbortController()
  const { signal } = stopping
  reader.readPools.mockRejectedValueOnce(away).mockRejectedValueOnce(away)
  const sleep = async () => stopping.abort()
  const resolver = openResolver({ reader, clock: { nowMs: () => 0, sleep }, signal })
  const block = blockOf(1, [swapEvent(0, '0xpool')])
  await expect(resolver.resolve(block, backfill)).rejects.toMatchObject({
    code: 'RESOLVE_UNANSWERED',
  })
  expect((await resolver.resolve(block, backfill)).pairs).toMatchObject([{ id: 0 }])
})

test('error: a damaged store is not retried', async () => {
  const findPairs = vi.fn<RecordReader['findPairs']>()
  findPairs.mockRejectedValue(new AppError('STORE_CORRUPT', 'The stored data is damaged.'))
  // `nextPairId` is not 0: the resolver never queries an empty store.
  const resolver = openResolver({ records: { ...noRecords, findPairs }, nextPairId: 1 })
  const resolving = resolver.resolve(blockOf(1, [poolEvent(0, '0xpool')]), backfill)
  await expect(resolving).rejects.toMatchObject({ code: 'STORE_CORRUPT' })
  expect(findPairs).toHaveBeenCalledOnce()
})
