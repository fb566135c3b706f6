// The block a contract was made in is found exactly, in few rounds, wherever it is.
import fc from 'fast-check'
import { type Address, getContractAddress } from 'viem'
import { expect, test } from 'vitest'
import { propertyRuns } from '../../../../../test/support/propertyRuns.ts'
import { RpcError } from '../../chain/errors.ts'
import type { EvmRpc } from '../../chain/evm/rpc/evmRpc.ts'
import type { RpcCall } from '../../chain/rpc/rpcCall.ts'
import { findCreation } from './creation.ts'

const maker = `0x${'d'.repeat(40)}` as Address
const deployed = getContractAddress({ from: maker, nonce: 7n }).toLowerCase()
const { signal } = new AbortController()
const timeOf = (block: number) => 1_500_000_000 + block

type World = { made: number; hasState(at: number): boolean; isByFactory: boolean }

function nodeOf({ made, hasState, isByFactory }: World) {
  let rounds = 0
  const requestBatch = async (calls: readonly RpcCall[]) => {
    rounds += 1
    return calls.map(({ method, params }) => {
      const at = Number(params[1])
      if (hasState(at)) return { ok: true, value: at >= made ? '0x60' : '0x', endpoint: 0 }
      const facts = { kind: 'notFound', method, endpoint: null, detail: 'pruned' } as const
      return { ok: false, error: new RpcError(facts), endpoint: 0 }
    })
  }
  const transactions = [
    { hash: '0xother', from: maker, to: null, nonce: '0x6' },
    { hash: '0xmade', from: maker, to: isByFactory ? '0xfactory' : null, nonce: '0x7' },
  ]
  const request = async (method: string, params: readonly unknown[]) => {
    if (method === 'eth_getLogs') return [{ topics: [], data: '0x', transactionHash: '0xmade' }]
    const timestamp = `0x${timeOf(Number(params[0])).toString(16)}`
    return { timestamp, transactions: Number(params[0]) === made ? transactions : [] }
  }
  const rpc = { requestBatch, request } as unknown as EvmRpc
  return { rpc, rounds: () => rounds }
}

const place = fc
  .integer({ min: 0, max: 2 ** 31 })
  .chain((head) => fc.record({ head: fc.constant(head), made: fc.integer({ min: 0, max: head }) }))

test('behavior: the creation block is found in any chain', async () => {
  await fc.assert(
    fc.asyncProperty(place, fc.boolean(), async ({ head, made }, isByFactory) => {
      const { rpc, rounds } = nodeOf({ made, hasState: () => true, isByFactory })
      const found = await findCreation({ rpc, address: deployed, block: { number: head }, signal })
      expect(found).toEqual({
        block: made,
        timeS: timeOf(made),
        creator: maker,
        txHash: '0xmade',
      })
      expect(rounds()).toBeLessThanOrEqual(9)
    }),
    { numRuns: propertyRuns(500, { isCheap: true }) },
  )
})

test('behavior: a node without old state gives no creation', async () => {
  const { rpc } = nodeOf({ made: 10, hasState: (at) => at > 900, isByFactory: false })
  expect(await findCreation({ rpc, address: deployed, block: { number: 1_000 }, signal })).toBe(
    null,
  )
})
