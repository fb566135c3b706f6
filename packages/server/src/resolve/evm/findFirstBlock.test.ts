import { expect, test, vi } from 'vitest'
import type { EvmRpc } from '../../chain/evm/rpc/evmRpc.ts'
import { createFirstBlockFinder } from './findFirstBlock.ts'

const at = { number: 100_000, hash: '0xa' }

/**
 * Simulates a node: the contract is created in block `madeIn`, and states before `stateFrom` are
 * gone.
 */
function open(madeIn: number, stateFrom = 0) {
  const request = vi.fn(async (_: string, [, block]: readonly unknown[]) => {
    const number = typeof block === 'string' ? Number(block) : at.number
    if (number < stateFrom) throw new Error('missing trie node')
    return number >= madeIn ? '0x60' : '0x'
  })
  const rpc = { request } as unknown as EvmRpc
  const firstBlockOf = createFirstBlockFinder({
    rpc,
    firstBlock: 0,
    reorgDepthMax: 64,
    countMax: 2,
  })
  return { request, firstBlockOf }
}

test('default: concurrent callers share one search per contract', async () => {
  const { request, firstBlockOf } = open(40_000)
  const found = await Promise.all([firstBlockOf('0x1', at), firstBlockOf('0x1', at)])
  expect(found[0]).toBeLessThanOrEqual(40_000)
  expect(found[0]).toBeGreaterThan(30_000)
  const asked = request.mock.calls.length
  expect(await firstBlockOf('0x1', { ...at, number: 100_500 })).toBe(found[0])
  expect(found[1]).toBe(found[0])
  expect(request).toHaveBeenCalledTimes(asked)
})

test('behavior: a search without a result is remembered', async () => {
  const { request, firstBlockOf } = open(40_000, 99_990)
  expect(await firstBlockOf('0x1', at)).toBe(0)
  const asked = request.mock.calls.length
  expect(await firstBlockOf('0x1', at)).toBe(0)
  expect(request).toHaveBeenCalledTimes(asked)
})

test('behavior: a result that a reorg may change is not remembered', async () => {
  const { request, firstBlockOf } = open(100_001)
  expect(await firstBlockOf('0x1', at)).toBe(100_001)
  const asked = request.mock.calls.length
  expect(await firstBlockOf('0x1', at)).toBe(100_001)
  expect(request).toHaveBeenCalledTimes(2 * asked)
})

test('behavior: the number of remembered contracts is bounded', async () => {
  const { request, firstBlockOf } = open(40_000)
  for (const address of ['0x1', '0x2', '0x3']) await firstBlockOf(address, at)
  const asked = request.mock.calls.length
  await firstBlockOf('0x3', at)
  expect(request).toHaveBeenCalledTimes(asked)
  await firstBlockOf('0x1', at)
  expect(request.mock.calls.length).toBeGreaterThan(asked)
})

test('behavior: a precompiled token without code exists from the block at which it answers', async () => {
  const request = vi.fn(async (method: string, [, block]: readonly unknown[]) => {
    const number = typeof block === 'string' ? Number(block) : at.number
    return method === 'eth_call' && number >= 40_000 ? `0x${'0'.repeat(64)}` : '0x'
  })
  const rpc = { request } as unknown as EvmRpc
  const first = await createFirstBlockFinder({ rpc, firstBlock: 0, reorgDepthMax: 64 })('0x1', at)
  expect(first).toBeGreaterThan(30_000)
  expect(first).toBeLessThanOrEqual(40_000)
})
