import { expect, test } from 'vitest'
import { RpcError, type RpcErrorKind } from '../../errors.ts'
import type { RpcCall, RpcResult } from '../../rpc/rpcCall.ts'
import { createWalletReads } from '../../walletReads.ts'
import { readWallets, type WalletRpc } from './readWallets.ts'

const [alice, bob, pool, lender] = ['a1', 'b0', 'c0', 'd0'].map(
  (byte) => `0x${byte.repeat(20)}`,
) as [string, string, string, string]

const word = (value: bigint | number) => value.toString(16).padStart(64, '0')
const balances = new Map([
  [alice, 10n ** 18n],
  [bob, 7n],
  [pool, 3n],
  [lender, 0n],
])
const codes = new Map([
  [pool, '0x608060'],
  [lender, `0xef0100${'12'.repeat(20)}`],
])

const failure = (kind: RpcErrorKind, method: string): RpcResult => ({
  ok: false,
  error: new RpcError({ kind, method, endpoint: null, detail: '' }),
  endpoint: 0,
})

type NodeOptions = { onCall?: (call: RpcCall) => RpcResult | Promise<RpcResult> | undefined }

/** Simulates a node that runs undeployed code or answers request by request. */
function createNode({ onCall }: NodeOptions = {}) {
  const calls: RpcCall[] = []
  async function answer(call: RpcCall): Promise<RpcResult> {
    calls.push(call)
    const given = await onCall?.(call)
    if (given !== undefined) return given
    const { method, params } = call
    const ok = (value: string): RpcResult => ({ ok: true, value, endpoint: 0 })
    if (method === 'eth_getBalance')
      return ok(`0x${balances.get(params[0] as string)!.toString(16)}`)
    if (method === 'eth_getCode') return ok(codes.get(params[0] as string) ?? '0x')
    const { data } = params[0] as { data: string }
    const addresses = data.slice(2 + 59 * 2).match(/.{40}/g)!
    return ok(
      `0x${addresses
        .map((bare) => {
          const code = (codes.get(`0x${bare}`) ?? '0x').slice(2)
          const start = code.slice(0, 6).padEnd(64, '0')
          return word(balances.get(`0x${bare}`) ?? 0n) + word(code.length / 2) + start
        })
        .join('')}`,
    )
  }
  const rpc: WalletRpc = { requestBatch: (batch) => Promise.all(batch.map(answer)) }
  return { rpc, calls }
}

const readsOf = (rpc: WalletRpc, nowMs = () => 0, timeoutMs = 1_000) =>
  createWalletReads({
    readWallets: (addresses, signal) => readWallets(rpc, addresses, signal),
    readHoldings: async () => new Map(),
    clock: { nowMs },
    limits: { timeoutMs },
  })

const everybody = {
  [alice]: { nativeRaw: 10n ** 18n, isContract: false },
  [bob]: { nativeRaw: 7n, isContract: false },
  [pool]: { nativeRaw: 3n, isContract: true },
  [lender]: { nativeRaw: 0n, isContract: false },
}

test('default: one call for all addresses', async () => {
  const { rpc, calls } = createNode()
  const facts = await readsOf(rpc).read([alice, bob, pool, lender, alice])
  expect(Object.fromEntries(facts)).toEqual(everybody)
  expect(calls.map(({ method }) => method)).toEqual(['eth_call'])
})

test('behavior: more addresses than a call takes', async () => {
  const { rpc, calls } = createNode()
  const many = Array.from({ length: 450 }, (_, n) => `0x${n.toString(16).padStart(40, '0')}`)
  const facts = await readsOf(rpc).read(many)
  expect(facts.size).toBe(450)
  expect([...facts.values()].every(({ nativeRaw }) => nativeRaw === 0n)).toBe(true)
  expect(calls).toHaveLength(3)
})

test.each(['refused', 'failed', 'reverted'] as const)(
  'behavior: a node that runs no undeployed code (%s) is asked singly',
  async (kind) => {
    const { rpc, calls } = createNode({
      onCall: ({ method }) => (method === 'eth_call' ? failure(kind, method) : undefined),
    })
    const facts = await readsOf(rpc).read([alice, bob, pool, lender])
    expect(Object.fromEntries(facts)).toEqual(everybody)
    expect(calls).toHaveLength(9)
  },
)

test('behavior: an answer of the wrong length is not believed', async () => {
  const { rpc } = createNode({
    onCall: ({ method }) =>
      method === 'eth_call' ? { ok: true, value: '0x', endpoint: 0 } : undefined,
  })
  expect(Object.fromEntries(await readsOf(rpc).read([alice, bob, pool, lender]))).toEqual(everybody)
})

test.each(['unreachable', 'timeout', 'aborted'] as const)(
  'behavior: what a silent node (%s) does not say is not known',
  async (kind) => {
    const { rpc } = createNode({ onCall: ({ method }) => failure(kind, method) })
    const facts = await readsOf(rpc).read([alice])
    expect(facts.get(alice)).toEqual({ nativeRaw: null, isContract: null })
  },
)

test('behavior: a node that takes too long is not waited for', async () => {
  const { rpc } = createNode({ onCall: () => new Promise<RpcResult>(() => undefined) })
  const facts = await readsOf(rpc, () => 0, 5).read([alice])
  expect(facts.get(alice)).toEqual({ nativeRaw: null, isContract: null })
})

test('behavior: answers are remembered, balances shortly and code long', async () => {
  let nowMs = 0
  let isSilent = false
  const { rpc, calls } = createNode({
    onCall: ({ method }) => (isSilent ? failure('unreachable', method) : undefined),
  })
  const reads = readsOf(rpc, () => nowMs)
  await reads.read([pool])
  nowMs = 10_000
  expect((await reads.read([pool])).get(pool)).toEqual(everybody[pool])
  expect(calls).toHaveLength(1)
  isSilent = true
  nowMs = 10_001
  expect((await reads.read([pool])).get(pool)).toEqual({ nativeRaw: null, isContract: true })
  expect(calls).toHaveLength(2)
})

test('behavior: two that ask at once ask the node once', async () => {
  const { rpc, calls } = createNode()
  const reads = readsOf(rpc)
  const [first, second] = await Promise.all([reads.read([alice, bob]), reads.read([bob, alice])])
  expect(first.get(bob)).toEqual(second.get(bob))
  expect(calls).toHaveLength(1)
})
