import { expect, test } from 'vitest'
import { RpcError, type RpcErrorKind } from '../errors.ts'
import type { EvmCall, EvmResult, EvmRpc } from './evmRpc.ts'
import { createMulticall } from './multicall.ts'

const good = '0x00000000000000000000000000000000000000aa'
const bad = '0x00000000000000000000000000000000000000bb'
// Nothing is there: all calls go alone.
const address = '0x00000000000000000000000000000000000000cc'

type Failure = (to: string) => RpcErrorKind | null

function open(failure: Failure) {
  const asked: string[] = []
  const answer = ({ params: [call] }: EvmCall): EvmResult => {
    const { to } = call as { to: string }
    asked.push(to)
    const kind = failure(to)
    if (kind === null) return { ok: true, value: to === good ? '0x01' : '0x', endpoint: 0 }
    const facts = { method: 'eth_call', endpoint: 'node', detail: 'Internal error' }
    return { ok: false, error: new RpcError({ kind, ...facts }), endpoint: 0 }
  }
  const rpc = {
    requestBatch: async (calls: readonly EvmCall[]) => calls.map(answer),
  } as unknown as EvmRpc
  return { multicall: createMulticall({ rpc, address }), asked }
}

const calls = [
  { to: good, data: '0x11' },
  { to: bad, data: '0x11' },
]

test('default: one that reverts does not fail its neighbour', async () => {
  const { multicall } = open((to) => (to === bad ? 'reverted' : null))
  expect(await multicall.call(calls, 'latest')).toEqual([{ ok: true, data: '0x01' }, { ok: false }])
})

test('behavior: a call that fails where an empty one is answered was failed by its contract', async () => {
  const { multicall } = open((to) => (to === bad ? 'failed' : null))
  const expected = [{ ok: true, data: '0x01' }, { ok: false }]
  expect(await multicall.call(calls, 'latest')).toEqual(expected)
  expect(await multicall.call(calls, { hash: '0x12', number: 1 })).toEqual(expected)
})

test('behavior: one that is answered when asked again is believed', async () => {
  let failures = 1
  const { multicall } = open((to) => (to === good && failures-- > 0 ? 'failed' : null))
  expect(await multicall.call([calls[0]!], 'latest')).toEqual([{ ok: true, data: '0x01' }])
})

test('error: a node that answers nothing says nothing of the contract', async () => {
  const { multicall } = open(() => 'failed')
  await expect(multicall.call(calls, 'latest')).rejects.toMatchObject({ code: 'RPC_FAILED' })
})

test('error: a node without the state', async () => {
  const { multicall, asked } = open(() => 'notFound')
  await expect(multicall.call(calls, 'latest')).rejects.toMatchObject({ code: 'RPC_NOT_FOUND' })
  expect(asked).toEqual([address])
})
