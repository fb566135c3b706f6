import { expect, test } from 'vitest'
import { bytesOf, keyBytesOf, keyOf } from '../../../../devnet/src/solana/transactionBuilder.ts'
import { RpcError } from '../errors.ts'
import type { Rpc } from '../rpc/rpc.ts'
import type { RpcCall, RpcResult } from '../rpc/rpcCall.ts'
import {
  hidesSupply,
  keyIn,
  mayHideHoldings,
  readAccounts,
  readHolders,
  readMint,
} from './accounts.ts'
import type { FetchContext } from './fetchBlock.ts'
import { findSlotAt, findSlotFrom } from './findSlotAt.ts'

const first = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
const second = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'
const { signal } = new AbortController()

/** A client that answers each call by itself. */
function answering(answer: (call: RpcCall) => unknown) {
  const calls: RpcCall[] = []
  const resultOf = (call: RpcCall): RpcResult => {
    calls.push(call)
    const value = answer(call)
    return value instanceof RpcError
      ? { ok: false, error: value, endpoint: 0 }
      : { ok: true, value, endpoint: 0 }
  }
  const rpc = {
    requestBatch: async (all: readonly RpcCall[]) => all.map(resultOf),
    async request(method: string, params: readonly unknown[]) {
      const result = resultOf({ method, params })
      if (!result.ok) throw result.error
      return result.value
    },
  } as unknown as Rpc
  return { rpc, calls }
}

const listed = (data: Buffer) => ({
  owner: 'owner',
  lamports: 5,
  data: [data.toString('base64'), 'base64'],
})

test('accounts come in the order of their addresses, a hundred a call', async () => {
  const { rpc, calls } = answering(({ params: [keys] }) => ({
    value: (keys as string[]).map((key) => (key === 'none' ? null : listed(Buffer.from(key)))),
  }))
  const addresses = Array.from({ length: 101 }, (_, at) => (at === 7 ? 'none' : `key ${at}`))
  const accounts = await readAccounts(rpc, addresses, { minSlot: 9 })
  expect(accounts.map((account) => account && String(account.data))).toEqual(
    addresses.map((address) => (address === 'none' ? null : address)),
  )
  expect(accounts[0]).toMatchObject({ owner: 'owner', lamports: 5 })
  expect(calls.map(({ params: [keys] }) => (keys as string[]).length)).toEqual([100, 1])
  const config = { encoding: 'base64', commitment: 'confirmed' }
  expect(calls[0]!.params[1]).toEqual({ ...config, minContextSlot: 9 })
  await readAccounts(rpc, ['a'])
  expect(calls.at(-1)!.params[1]).toEqual(config)
})

test('an answer without the account, or of another shape, is none; a failure is thrown', async () => {
  for (const value of [[], null, [{ owner: 1 }], [{ ...listed(Buffer.alloc(1)), data: 'text' }]])
    expect(await readAccounts(answering(() => ({ value })).rpc, ['a'])).toEqual([null])
  const error = new RpcError({ kind: 'failed', method: 'm', endpoint: null, detail: '' })
  await expect(readAccounts(answering(() => error).rpc, ['a'])).rejects.toBe(error)
})

/** A mint's account of 82 bytes. */
const mintOf = (parts: Record<number, Buffer> = {}) =>
  bytesOf(82, { 36: Buffer.of(7, 1), 44: Buffer.of(9), 45: Buffer.of(1), ...parts })
const readOf = (data: Buffer, owner = first) => readMint({ owner, lamports: 1, data })
const one = Buffer.of(1)

test('a mint has its decimals, its supply and its authorities', () => {
  expect(readOf(mintOf())).toEqual({
    ...{ decimals: 9, supply: 263n, mintAuthority: null, freezeAuthority: null },
    extensions: new Map(),
  })
  const keys = { 0: one, 4: keyBytesOf(keyOf('mints')), 46: one, 50: keyBytesOf(keyOf('freezes')) }
  expect(readOf(mintOf(keys), second)).toMatchObject({
    mintAuthority: keyOf('mints'),
    freezeAuthority: keyOf('freezes'),
  })
})

test('another account is no mint', () => {
  expect(readOf(mintOf(), 'another program')).toBe(null)
  expect(readOf(mintOf().subarray(0, 81))).toBe(null)
  expect(readOf(mintOf({ 45: Buffer.of(0) }))).toBe(null)
  const padded = (kind: number) => Buffer.concat([mintOf(), Buffer.alloc(83), Buffer.of(kind)])
  expect(readOf(padded(1), second)).toMatchObject({ decimals: 9 })
  expect(readOf(padded(2), second)).toBe(null)
  // Too short to say which of both it is.
  expect(readOf(Buffer.concat([mintOf(), Buffer.alloc(1)]), second)).toBe(null)
})

function extended(...extensions: [type: number, value: Buffer, length?: number][]) {
  const parts = extensions.map(([type, value, length = value.length]) => {
    const head = Buffer.alloc(4)
    head.writeUInt16LE(type, 0)
    head.writeUInt16LE(length, 2)
    return Buffer.concat([head, value])
  })
  const data = Buffer.concat([mintOf(), Buffer.alloc(83), one, ...parts])
  return readOf(data, second)!
}

test('extensions are read up to free room, or to one that is cut', () => {
  const two = Buffer.of(2, 2)
  expect(extended([3, one], [12, two], [3, two]).extensions).toEqual(
    new Map([
      [3, one],
      [12, two],
    ]),
  )
  expect([...extended([3, one], [0, two], [12, two]).extensions.keys()]).toEqual([3])
  expect([...extended([3, one], [12, two, 3]).extensions.keys()]).toEqual([3])
  expect([...extended([3, Buffer.alloc(0)]).extensions.keys()]).toEqual([3])
  expect(mayHideHoldings(extended([4, one]))).toBe(true)
  expect(mayHideHoldings(extended([24, one]))).toBe(true)
  expect(mayHideHoldings(extended([5, one]))).toBe(false)
  expect([hidesSupply(extended([24, one])), hidesSupply(extended([4, one]))]).toEqual([true, false])
})

test('a key of an extension is none where it is zeros or cut', () => {
  const key = keyOf('some')
  const value = Buffer.concat([Buffer.alloc(32), keyBytesOf(key)])
  expect(keyIn(value, 32)).toBe(key)
  expect(keyIn(value)).toBe(null)
  expect(keyIn(value, 33)).toBe(null)
  expect(keyIn(undefined)).toBe(null)
})

test('holders of a mint are accounts that have something, as of one slot', async () => {
  const dataOf = (owner: string, amount: bigint) => {
    const data = Buffer.concat([keyBytesOf(keyOf(owner)), Buffer.alloc(8)])
    data.writeBigUInt64LE(amount, 32)
    return data
  }
  const listing = (pubkey: unknown, data: Buffer) => ({ pubkey, account: listed(data) })
  const value = [
    listing('a', dataOf('one', 5n)),
    listing('b', dataOf('two', 0n)),
    listing(7, dataOf('three', 5n)),
    listing('c', dataOf('four', 5n).subarray(1)),
    null,
    listing('d', dataOf('five', 2n ** 63n)),
  ]
  const answer = { context: { slot: 30 }, value }
  const { rpc, calls } = answering(() => answer)
  const query = { mint: 'mint', program: first, minSlot: 30, signal }
  expect(await readHolders(rpc, query)).toEqual({
    slot: 30,
    holdings: [
      { account: 'a', owner: keyOf('one'), amount: 5n },
      { account: 'd', owner: keyOf('five'), amount: 2n ** 63n },
    ],
  })
  const ofMint = { memcmp: { offset: 0, bytes: 'mint' } }
  expect(calls[0]!.params).toMatchObject([
    first,
    {
      minContextSlot: 30,
      dataSlice: { offset: 32, length: 40 },
      filters: [{ dataSize: 165 }, ofMint],
    },
  ])
  await readHolders(rpc, { ...query, program: second })
  expect(calls[1]!.params[1]).toMatchObject({ filters: [ofMint] })
  const malformed = { code: 'RPC_MALFORMED' }
  await expect(readHolders(rpc, { ...query, minSlot: 31 })).rejects.toMatchObject(malformed)
  for (const wrong of [null, { value }, { context: { slot: 30 }, value: {} }]) {
    const other = answering(() => wrong).rpc
    await expect(readHolders(other, query)).rejects.toMatchObject(malformed)
  }
})

/** A chain with blocks in these slots, whose times are the slots. */
function chainOf(slots: readonly number[], { oldest = 0, head = slots.at(-1) ?? 0 } = {}) {
  const { rpc, calls } = answering(({ method, params: [from, to] }) => {
    if (method === 'getSlot') return head
    if (method === 'getFirstAvailableBlock') return oldest
    if (method === 'getBlocks')
      return slots.filter((slot) => slot >= Number(from) && slot <= Number(to ?? head))
    if (method === 'getBlock') {
      const parentSlot = slots[slots.indexOf(Number(from)) - 1] ?? 0
      const hashOf = (slot: number) => keyOf(`block ${slot}`)
      return {
        ...{ blockhash: hashOf(Number(from)), previousBlockhash: hashOf(parentSlot), parentSlot },
        blockTime: Number(from),
        blockHeight: 1,
      }
    }
    return null
  })
  return {
    context: { rpc, commitment: 'confirmed', chain: 'test', nowMs: () => 0 } as FetchContext,
    calls,
  }
}

test('the first slot of a time is the first with a block that is not older', async () => {
  const slots = [10, 11, 15, 700, 2_000]
  const { context } = chainOf(slots)
  for (const [timeS, slot] of [
    [0, 10],
    [10, 10],
    [11, 11],
    [12, 15],
    [16, 700],
    [701, 2_000],
    [2_000, 2_000],
    [2_001, 2_001],
  ] as const)
    expect(await findSlotAt(context, timeS, signal), `${timeS}`).toBe(slot)
  const { context: pruned } = chainOf(slots, { oldest: 12 })
  expect(await findSlotAt(pruned, 0, signal)).toBe(15)
})

test('the first slot from a number on is one that nodes have', async () => {
  const { context } = chainOf([10, 700], { head: 2_000 })
  for (const [number, slot] of [
    [0, 10],
    [10, 10],
    [11, 700],
    [701, 701],
  ] as const)
    expect(await findSlotFrom(context, number, signal)).toBe(slot)
  const { context: pruned } = chainOf([10, 700], { oldest: 11 })
  expect(await findSlotFrom(pruned, 0, signal)).toBe(700)
})
