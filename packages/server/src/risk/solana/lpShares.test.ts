import { expect, test } from 'vitest'
import { mintBytes } from '../../../../devnet/src/solana/mintBytes.ts'
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

const [burner, locker, maker, wallet] = ['burner', 'locker', 'maker', 'wallet'].map(keyOf) as [
  ...[string, string, string, string],
]
const [pool, lpMint, vault] = ['pool', 'lp mint', 'vault program'].map(keyOf) as [
  ...[string, string, string],
]
const profile = { burnAddresses: [burner], lockers: [locker] }
const poolAt = {
  raydiumAmmV4: { bytes: 752, mint: 464, supply: 720 },
  raydiumCpmm: { bytes: 637, mint: 136, supply: 333 },
  pumpSwap: { bytes: 270, mint: 107, supply: 203 },
  meteoraDammV1: { bytes: 944, mint: 8, supply: null },
}
const [escrow, escrowProgram] = [
  keyOf('lock escrow'),
  'Eo7WjKq67rjJQSZxS6z3YkapzY3eMj6Xy8X5EQVn5UaB',
]

type Given = {
  venue?: keyof typeof poolAt
  given: bigint
  supply: bigint
  /** Owners of token accounts, one each; null: the node refuses to tell. */
  held: readonly (readonly [string, bigint])[] | null
  makers?: readonly string[]
}

/** A node with a pool of that venue, the mint of its shares and accounts of it. */
async function sharesOf({ venue = 'raydiumCpmm', given, supply, held, makers = [maker] }: Given) {
  const at = poolAt[venue]
  const named = {
    name: 'LP',
    symbol: 'LP',
    decimals: 9,
    mintAuthority: null,
    freezeAuthority: null,
  }
  const accounts = new Map<string, { owner: string; data: Buffer }>()
  const parts = {
    [at.mint]: keyBytesOf(lpMint),
    ...(at.supply !== null && { [at.supply]: u64(given) }),
  }
  accounts.set(pool, { owner: keyOf('program'), data: bytesOf(at.bytes, parts) })
  const bytes = mintBytes(lpMint, { ...named, supply, program: tokenProgram })
  accounts.set(lpMint, { owner: tokenProgram, data: bytes })
  for (const [owner, amount] of held ?? []) {
    const data = bytesOf(165, { 0: keyBytesOf(lpMint), 32: keyBytesOf(owner), 64: u64(amount) })
    accounts.set(keyOf(`account of ${owner}`), { owner: tokenProgram, data })
  }
  accounts.set(escrow, { owner: escrowProgram, data: hex('be6a7906c8b6154b') })
  accounts.set(vault, { owner: keyOf('program'), data: Buffer.alloc(0) })
  const rpc = {
    requestBatch: async (calls: readonly { params: readonly [readonly string[]] }[]) =>
      calls.map(({ params: [keys] }) => {
        const value = keys.map((key) => {
          const account = accounts.get(key)
          if (account === undefined) return null
          const { owner, data } = account
          return { owner, lamports: 1, data: [data.toString('base64'), 'base64'] }
        })
        return { ok: true, value: { value } }
      }),
    async request() {
      if (held === null) throw new Error('excluded from indexes')
      const value = held.map(([owner, amount]) => ({
        address: keyOf(`account of ${owner}`),
        amount: `${amount}`,
      }))
      return { value }
    },
  }
  const pools = [{ address: pool, venue, isTrusted: true, liquidityUsd: 5 } as RiskPool]
  const { signal } = new AbortController()
  return await readLpShares({ rpc: rpc as unknown as Rpc, profile, pools, makers, signal })
}

test.each(['raydiumAmmV4', 'raydiumCpmm', 'pumpSwap'] as const)(
  'default: what %s gave out and the mint no longer has was burnt',
  async (venue) => {
    const facts = await sharesOf({ venue, given: 1_000n, supply: 400n, held: [[wallet, 400n]] })
    expect(facts).toMatchObject({
      pair: pool,
      totalRaw: 1_000n,
      isSupply: true,
      decimals: 9,
      holderCount: 1,
      burntRaw: 600n,
      lockedRaw: 0n,
      makerRaw: 0n,
      holders: [{ address: wallet, amountRaw: 400n, kind: 'wallet' }],
    })
  },
)

test('behavior: shares are burnt, locked, owned by owner and creator, by a program or by a wallet', async () => {
  const held = [
    [burner, 100n],
    [locker, 200n],
    [maker, 50n],
    [vault, 40n],
    [wallet, 10n],
  ] as const
  const facts = await sharesOf({ given: 1_000n, supply: 400n, held })
  expect(facts).toMatchObject({ burntRaw: 700n, lockedRaw: 200n, makerRaw: 50n, holderCount: 5 })
  expect(facts!.holders.map(({ kind }) => kind)).toEqual([
    ...['lock', 'burn', 'creator', 'contract', 'wallet'],
  ])
  expect(await sharesOf({ given: 1_000n, supply: 0n, held: null })).toMatchObject({
    burntRaw: 1_000n,
    lockedRaw: 0n,
    holders: [],
  })
})

test('behavior: shares of Meteora’s DAMM v1 are counted by their mint, and locked in escrows of the program', async () => {
  const held = [
    [escrow, 300n],
    [burner, 60n],
    [wallet, 40n],
  ] as const
  const venue = 'meteoraDammV1'
  const facts = await sharesOf({ venue, given: 0n, supply: 400n, held })
  expect(facts).toMatchObject({ totalRaw: 400n, burntRaw: 60n, lockedRaw: 300n, holderCount: 3 })
  expect(await sharesOf({ venue, given: 0n, supply: 0n, held: [] })).toBeNull()
})

test('behavior: shares are unknown when too many are outside the listed holders', async () => {
  const unknown = { burntRaw: null, lockedRaw: null, makerRaw: null, holderCount: null }
  const few = { given: 1_000n, supply: 400n, held: [[wallet, 300n]] } as const
  expect(await sharesOf(few)).toMatchObject(unknown)
  expect(await sharesOf({ ...few, held: null })).toMatchObject({ ...unknown, holders: [] })
  // The smallest may be left out.
  const most = { ...few, held: [[wallet, 360n]] } as const
  expect(await sharesOf({ ...most, makers: [] })).toMatchObject({
    burntRaw: 600n,
    makerRaw: null,
    holderCount: null,
  })
  expect(await sharesOf({ ...few, given: 0n })).toBeNull()
})
