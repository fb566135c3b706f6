import { encodeAbiParameters, type Hex, parseAbiParameters } from 'viem'
import { describe, expect, test } from 'vitest'
import { RpcError, type RpcErrorKind } from '../../errors.ts'
import type { RpcCall, RpcResult } from '../../rpc/rpcCall.ts'
import type { EvmRpc } from '../rpc/evmRpc.ts'
import { createMulticall } from './multicall.ts'

const good = '0x00000000000000000000000000000000000000aa'
const bad = '0x00000000000000000000000000000000000000bb'
const address = '0x00000000000000000000000000000000000000cc'
const trueWord = `0x${'1'.padStart(64, '0')}`
const falseWord = `0x${'0'.repeat(64)}`

type Asked = { to?: string; data: string }
/** An answer, or the kind of an error. */
type Answer = { value: string } | { kind: RpcErrorKind }

function open(answer: (call: Asked) => Answer) {
  const asked: Asked[] = []
  const resultOf = ({ params: [call] }: RpcCall): RpcResult => {
    asked.push(call as Asked)
    const given = answer(call as Asked)
    if ('value' in given) return { ok: true, value: given.value, endpoint: 0 }
    const facts = { method: 'eth_call', endpoint: null, detail: 'Internal error' }
    return { ok: false, error: new RpcError({ ...given, ...facts }), endpoint: 0 }
  }
  const rpc = {
    requestBatch: async (calls: readonly RpcCall[]) => calls.map(resultOf),
  } as unknown as EvmRpc
  return { multicall: createMulticall({ rpc, address }), asked }
}

const calls = [
  { to: good, data: '0x11' },
  { to: bad, data: '0x11' },
]
const expected = [{ ok: true, data: '0x01' }, { ok: false }]

/** Simulates a node without Multicall3: all calls are sent separately. */
function openBare(badly: Answer, probed: Answer) {
  return open(({ to }) => {
    if (to === address) return { value: '0x' }
    if (to === undefined) return probed
    return to === good ? { value: '0x01' } : badly
  })
}

describe('without Multicall3', () => {
  test('default: one that reverts does not fail its neighbour', async () => {
    const { multicall } = openBare({ kind: 'reverted' }, { kind: 'failed' })
    expect(await multicall.call(calls, 'latest')).toEqual(expected)
  })

  test('behavior: one that runs out of gas by itself has failed', async () => {
    const { multicall } = openBare({ kind: 'outOfGas' }, { kind: 'failed' })
    expect(await multicall.call(calls, 'latest')).toEqual(expected)
  })

  test("behavior: a failure without an explanation is the contract's where the EVM says so", async () => {
    const { multicall, asked } = openBare({ kind: 'failed' }, { value: falseWord })
    expect(await multicall.call(calls, 'latest')).toEqual(expected)
    expect(await multicall.call(calls, { hash: '0x12', number: 1 })).toEqual(expected)
    expect(asked.filter(({ to }) => to === undefined)).toHaveLength(2)
  })

  test.each([
    { value: trueWord },
    { value: '0x' },
    { kind: 'failed' },
    { kind: 'reverted' },
  ] as Answer[])("error: it is the node's where the EVM answers %j", async (probed) => {
    const { multicall } = openBare({ kind: 'failed' }, probed)
    await expect(multicall.call(calls, 'latest')).rejects.toMatchObject({ code: 'RPC_FAILED' })
  })

  test('error: a node without the state', async () => {
    const { multicall, asked } = open(() => ({ kind: 'notFound' }))
    await expect(multicall.call(calls, 'latest')).rejects.toMatchObject({ code: 'RPC_NOT_FOUND' })
    expect(asked.map(({ to }) => to)).toEqual([address])
  })
})

/** Encodes results as Multicall3 does; null: the call failed. */
function aggregated(results: readonly (string | null)[]): string {
  const abi = parseAbiParameters('(bool success, bytes data)[]')
  const items = results.map((data) => ({ success: data !== null, data: (data ?? '0x') as Hex }))
  return encodeAbiParameters(abi, [items])
}

const countOf = ({ data }: Asked) => Number(`0x${data.slice(10 + 64, 10 + 128)}`)

describe('with Multicall3', () => {
  test('default: what failed among others is asked alone, by the contract again', async () => {
    const { multicall, asked } = open((call) => ({
      value: aggregated(countOf(call) === 1 ? [null] : ['0x01', null]),
    }))
    expect(await multicall.call(calls, 'latest')).toEqual(expected)
    expect(asked.map(({ to }) => to)).toEqual([address, address])
  })

  test.each(['failed', 'rateLimited', 'timeout', 'notFound', 'unreachable'] as const)(
    'error: a node that fails with %s says nothing of a contract',
    async (kind) => {
      const { multicall } = open((call) =>
        countOf(call) === 1 ? { kind } : { value: aggregated(['0x01', null]) },
      )
      await expect(multicall.call(calls, 'latest')).rejects.toMatchObject({ kind })
    },
  )

  test.each(['outOfGas', 'reverted'] as const)(
    'behavior: more than the node bears is halved until it does (%s)',
    async (kind) => {
      const many = Array.from({ length: 10 }, () => calls[0]!)
      const { multicall, asked } = open((call) =>
        countOf(call) > 3 ? { kind } : { value: aggregated(Array(countOf(call)).fill('0x01')) },
      )
      expect(await multicall.call(many, 'latest')).toEqual(Array(10).fill(expected[0]))
      expect(asked.map(countOf)).toEqual([10, 5, 5, 2, 3, 2, 3])
    },
  )
})
