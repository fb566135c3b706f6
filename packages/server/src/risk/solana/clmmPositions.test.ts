import { expect, test } from 'vitest'
import { recordedAccount } from '../../../../../test/support/solana/recorded.ts'
import {
  bytesOf,
  hex,
  keyBytesOf,
  keyOf,
  tokenProgram,
  u64,
} from '../../../../devnet/src/solana/transactionBuilder.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import type { RiskPool } from '../riskSubject.ts'
import { readLpShares } from './lpShares.ts'

// A pool as a node told it, with its liquidity and where its price is.
const pool = 'AcPS8SrzXDwPxk6LLz2tykwFEsSeD5LtctMLVeh2shq8'
const total = 3_464_101_788_356n
const tick = 71_168
const [burner, locker, maker, wallet] = ['burner', 'locker', 'maker', 'wallet'].map(keyOf) as [
  ...[string, string, string, string],
]
// Another pool, nearly all of which is locked by its own word.
const next = keyOf('next')
const locked = bytesOf(1_112, { 0: hex('f19a6d0411b16dbc'), 360: u64(100n), 552: u64(99n) })
const profile = { burnAddresses: [burner], lockers: [locker] }

type Position = {
  liquidity: bigint
  /** Null: its NFT was burnt; undefined: no node tells. */
  owner: string | null | undefined
  /** @default around the price */
  ticks?: readonly [number, number]
}

function positionBytes(nft: string, { liquidity, ticks = [tick, tick + 1] }: Position): Buffer {
  const bytes = bytesOf(281, { 9: keyBytesOf(nft), 41: keyBytesOf(pool), 81: u64(liquidity) })
  for (const [nth, bound] of ticks.entries()) bytes.writeInt32LE(bound, 73 + 4 * nth)
  return bytes
}

/** A node with the pool and its positions; null: it lists none. */
function nodeOf(positions: readonly Position[] | null) {
  const nftOf = (nth: number) => keyOf(`nft ${nth}`)
  const accounts = new Map([
    [pool, recordedAccount(pool)],
    [next, { owner: 'cpamdpZCGKUy5JxQXB4dcpGPiikHawvSWAd6mEn1sGG', lamports: 1, data: locked }],
  ])
  for (const [nth, { owner }] of (positions ?? []).entries()) {
    const data = bytesOf(165, { 0: keyBytesOf(nftOf(nth)), 32: keyBytesOf(owner ?? wallet) })
    accounts.set(keyOf(`account ${nth}`), { owner: tokenProgram, lamports: 1, data })
  }
  const largest = (nft: string) => {
    const nth = (positions ?? []).findIndex((_, at) => nftOf(at) === nft)
    const { owner } = positions![nth]!
    if (owner === undefined) return { ok: false, error: new Error('not told') }
    const account = { address: keyOf(`account ${nth}`), amount: owner === null ? '0' : '1' }
    return { ok: true, value: { value: [account] } }
  }
  const toldOf = (key: string) => {
    const { owner, data } = accounts.get(key) ?? { owner: '', data: null }
    return data && { owner, lamports: 1, data: [data.toString('base64'), 'base64'] }
  }
  return {
    requestBatch: async (calls: readonly { method: string; params: readonly [never] }[]) =>
      calls.map(({ method, params: [asked] }) =>
        method === 'getTokenLargestAccounts'
          ? largest(asked)
          : { ok: true, value: { value: (asked as readonly string[]).map(toldOf) } },
      ),
    async request(_: string, [program, config]: [string, { filters: object[]; dataSlice: Slice }]) {
      if (positions === null) throw new Error('excluded from indexes')
      expect(program).toBe('CAMMCzo5YL8w4VFF8KVHrK22GGUsp5VTaW7grrKgrWqK')
      expect(config.filters).toEqual([{ dataSize: 281 }, { memcmp: { offset: 41, bytes: pool } }])
      const { offset, length } = config.dataSlice
      return positions.map((position, nth) => {
        const data = positionBytes(nftOf(nth), position).subarray(offset, offset + length)
        return { pubkey: '', account: { data: [data.toString('base64'), 'base64'] } }
      })
    },
  }
}
type Slice = { offset: number; length: number }

async function sharesOf(positions: readonly Position[] | null, others: readonly RiskPool[] = []) {
  const rpc = nodeOf(positions) as unknown as Rpc
  const own = { address: pool, venue: 'raydiumClmm', isTrusted: true, liquidityUsd: 5 } as RiskPool
  const { signal } = new AbortController()
  return await readLpShares({ rpc, profile, pools: [own, ...others], makers: [maker], signal })
}

test('default: liquidity of a pool is split into burnt, locked, and that of owner and creator', async () => {
  const facts = await sharesOf([
    { liquidity: total / 2n, owner: locker },
    { liquidity: total / 4n, owner: null },
    { liquidity: total / 8n, owner: burner },
    { liquidity: total / 16n, owner: maker },
    { liquidity: total / 16n, owner: wallet },
  ])
  expect(facts).toMatchObject({
    pair: pool,
    totalRaw: total,
    isSupply: false,
    burntRaw: total / 4n + total / 8n,
    lockedRaw: total / 2n,
    makerRaw: total / 16n,
  })
  expect(facts!.holders.map(({ kind }) => kind)).toEqual(['lock', 'burn', 'creator', 'wallet'])
})

test('behavior: positions outside the current price are not counted', async () => {
  const facts = await sharesOf([
    { liquidity: total, owner: wallet, ticks: [tick, tick + 60] },
    { liquidity: 9n * total, owner: locker, ticks: [tick + 1, tick + 60] },
    { liquidity: 9n * total, owner: null, ticks: [tick - 60, tick] },
  ])
  expect(facts).toMatchObject({ totalRaw: total, burntRaw: 0n, lockedRaw: 0n, holderCount: 1 })
})

test('behavior: shares are unknown when too much liquidity has unknown owners', async () => {
  const facts = await sharesOf([
    { liquidity: total / 2n, owner: locker },
    { liquidity: total / 2n, owner: undefined },
  ])
  expect(facts).toMatchObject({ lockedRaw: null, burntRaw: null, makerRaw: null })
})

test('error: if a node lists no positions, the next pool is read', async () => {
  expect(await sharesOf(null)).toBeNull()
  const shallow = { venue: 'meteoraDammV2', isTrusted: true, liquidityUsd: 1 }
  const facts = await sharesOf(null, [{ ...shallow, address: next } as RiskPool])
  expect(facts).toMatchObject({ pair: next, totalRaw: 100n, lockedRaw: 99n })
  // Unless the first tells.
  const told = await sharesOf([{ liquidity: total, owner: locker }], [])
  expect(told).toMatchObject({ pair: pool, lockedRaw: total })
})
