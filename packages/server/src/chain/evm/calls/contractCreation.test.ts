import { expect, test } from 'vitest'
import { RpcError, type RpcErrorKind } from '../../errors.ts'
import type { RpcCall } from '../../rpc/rpcCall.ts'
import type { EvmRpc } from '../rpc/evmRpc.ts'
import { findCreationBlock, timeOfHeader } from './contractCreation.ts'

/**
 * Simulates a node: the contract is created in block 700, and requests for blocks before
 * `stateFrom` fail.
 */
function nodeOf({ stateFrom = 0, kind = 'notFound' as RpcErrorKind } = {}) {
  const rounds: number[] = []
  const error = new RpcError({ kind, method: 'eth_getCode', endpoint: null, detail: 'no' })
  const requestBatch = async (calls: readonly RpcCall[]) => {
    rounds.push(calls.length)
    return calls.map(({ params }) => {
      const number = Number(params[1])
      if (number < stateFrom) return { ok: false as const, error, endpoint: 0 }
      return { ok: true as const, value: number >= 700 ? '0x60' : '0x', endpoint: 0 }
    })
  }
  const query = { rpc: { requestBatch } as unknown as EvmRpc, address: '0xa' }
  return { rounds, query: { ...query, block: { number: 1_000 } } }
}

test('default: the block it was made in, many places at a time or one', async () => {
  const many = nodeOf()
  expect(await findCreationBlock(many.query)).toBe(700)
  expect(many.rounds.length).toBeLessThan(4)
  const one = nodeOf()
  expect(await findCreationBlock({ ...one.query, pointsPerRound: 1 })).toBe(700)
  expect(one.rounds.every((count) => count === 1)).toBe(true)
  expect(one.rounds.length).toBeLessThan(12)
})

test('behavior: a token without code was created where it began to answer', async () => {
  const requestBatch = async (calls: readonly RpcCall[]) =>
    calls.map(({ method, params }) => {
      const answers = method === 'eth_call' && Number(params[1]) >= 700
      return { ok: true as const, value: answers ? `0x${'0'.repeat(64)}` : '0x', endpoint: 0 }
    })
  const rpc = { requestBatch } as unknown as EvmRpc
  expect(await findCreationBlock({ rpc, address: '0xa', block: { number: 1_000 } })).toBe(700)
})

test('behavior: without old state nobody knows', async () => {
  expect(await findCreationBlock(nodeOf({ stateFrom: 900 }).query)).toBeNull()
})

test('error: a node that fails has not said that', async () => {
  const { query } = nodeOf({ stateFrom: 900, kind: 'timeout' })
  await expect(findCreationBlock(query)).rejects.toMatchObject({ code: 'RPC_TIMEOUT' })
})

test('timeOfHeader', () => {
  expect(timeOfHeader({ timestamp: '0x10' })).toBe(16)
  for (const raw of [null, {}, { timestamp: 16 }, { timestamp: 'now' }])
    expect(timeOfHeader(raw)).toBeNull()
})
