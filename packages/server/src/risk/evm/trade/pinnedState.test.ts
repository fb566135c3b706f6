import { expect, test } from 'vitest'
import { RpcError, type RpcErrorKind } from '../../../chain/errors.ts'
import type { EvmRpc } from '../../../chain/evm/rpc/evmRpc.ts'
import type { RpcCall, RpcResult } from '../../../chain/rpc/rpcCall.ts'
import { createPinnedState } from './pinnedState.ts'

const failure = (kind: RpcErrorKind, detail = ''): RpcResult => ({
  ok: false,
  error: new RpcError({ kind, method: 'eth_call', endpoint: null, detail }),
  endpoint: 0,
})
const success = (value: unknown): RpcResult => ({ ok: true, value, endpoint: 0 })

function open(answer: (call: RpcCall) => RpcResult) {
  const asked: RpcCall[] = []
  const requestBatch = async (calls: readonly RpcCall[]) => {
    asked.push(...calls)
    return calls.map(answer)
  }
  const rpc = { requestBatch } as unknown as EvmRpc
  const { signal } = new AbortController()
  const block = { number: 255, hash: '0xabc' }
  return { asked, state: createPinnedState({ rpc, block, readGasMax: 1_000, signal }) }
}

test('default: all calls name the block by its hash', async () => {
  const { asked, state } = open(() => success('0x01'))
  const overrides = { '0x1': { code: '0x00' } }
  const answers = await state.call([{ to: '0x1', data: '0x', from: '0x2', gas: 16, overrides }])
  expect(answers).toEqual([{ type: 'answered', data: '0x01' }])
  expect(await state.code(['0x1'])).toEqual(['0x01'])
  expect(await state.storage('0x1', ['0x0'])).toEqual(['0x01'])
  const at = { blockHash: '0xabc' }
  expect(asked).toEqual([
    {
      method: 'eth_call',
      params: [{ from: '0x2', to: '0x1', data: '0x', gas: '0x10' }, at, overrides],
    },
    { method: 'eth_getCode', params: ['0x1', at] },
    { method: 'eth_getStorageAt', params: ['0x1', '0x0', at] },
  ])
})

test('behavior: a node without support for block hashes is asked by number', async () => {
  const { state } = open(({ params }) =>
    params[1] === '0xff' ? success('0x02') : failure('refused'),
  )
  expect(await state.call([{ to: '0x1', data: '0x' }])).toEqual([
    { type: 'answered', data: '0x02' },
  ])
})

test('behavior: a revert of the contract differs from a refusal of the node', async () => {
  const { state } = open(({ params }) =>
    (params[0] as { to: string }).to === '0x1'
      ? failure('reverted', 'execution reverted: no')
      : failure('refused', 'too many arguments'),
  )
  const calls = ['0x1', '0x2'].map((to) => ({ to, data: '0x' }))
  expect(await state.call(calls)).toEqual([
    { type: 'reverted', reason: 'execution reverted: no' },
    { type: 'refused', reason: 'too many arguments' },
  ])
})

test.each(['timeout', 'notFound', 'aborted', 'unreachable'] as const)(
  'error: %s is no answer',
  async (kind) => {
    const { state } = open(() => failure(kind))
    await expect(state.call([{ to: '0x1', data: '0x' }])).rejects.toMatchObject({ kind })
    await expect(state.code(['0x1'])).rejects.toMatchObject({ kind })
  },
)
