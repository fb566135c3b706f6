import type { Rpc } from '../../chain/rpc/rpc.ts'
import { readAccounts, readMint, type SolanaAccount } from '../../chain/solana/accounts.ts'
import { encodeBase58 } from '../../lib/bytes/base58.ts'
import type { ChainProfile } from '../../model/chainProfile.ts'
import type { LpFacts, LpHolder } from '../riskReport.ts'
import type { RiskPool } from '../riskSubject.ts'
import { positionsVenue, readPositionShares } from './clmmPositions.ts'
import { lockedLiquidity, lockedVenue } from './lockedLiquidity.ts'

type LpSharesQuery = {
  rpc: Pick<Rpc, 'requestBatch' | 'request'>
  profile: Pick<ChainProfile, 'burnAddresses' | 'lockers'>
  pools: readonly RiskPool[]
  /** Owner and creator of the token, if known. */
  makers: readonly string[]
  signal: AbortSignal
}

/**
 * Offsets in a pool's account of the mint of its shares, and of the count of issued shares. Without
 * that count, shares burnt in other ways than by a burn address stay unknown.
 */
const layouts: Readonly<Record<string, { bytes: number; mint: number; supply: number | null }>> = {
  meteoraDammV1: { bytes: 298, mint: 8, supply: null },
  raydiumAmmV4: { bytes: 752, mint: 464, supply: 720 },
  raydiumCpmm: { bytes: 637, mint: 136, supply: 333 },
  pumpSwap: { bytes: 211, mint: 107, supply: 203 },
}

/** Venues whose liquidity is in positions. */
const venues: ReadonlySet<string> = new Set([lockedVenue, positionsVenue])

const keyBytes = 32
const ownerAt = 32
const systemProgram = '11111111111111111111111111111111'
// Nodes list only the largest accounts. If more than one part in this many of the shares is outside
// them, the facts stay unknown.
const unknownDivisorMin = 20n

// Meteora's DAMM v1 locks shares in accounts of this program for good; the depositor only gets
// fees.
const escrowProgram = 'Eo7WjKq67rjJQSZxS6z3YkapzY3eMj6Xy8X5EQVn5UaB'
const escrowTag = 0xbe6a7906c8b6154bn
const tagBytes = 8

/**
 * Reads who can withdraw the liquidity of the token's deepest pool with shares or readable
 * positions. Shares that the program issued and the mint no longer counts were burnt. Null if there
 * is no such pool or its account cannot be read.
 */
export async function readLpShares(query: LpSharesQuery): Promise<LpFacts | null> {
  const pools = query.pools
    .filter(({ venue, isTrusted }) => isTrusted && (venues.has(venue) || venue in layouts))
    .toSorted((a, b) => b.liquidityUsd - a.liquidityUsd)
  for (const pool of pools) {
    const facts = await readPool(query, pool)
    // Many nodes do not list the positions of a pool; the next pool may have shares.
    if (facts !== null || pool.venue !== positionsVenue) return facts
  }
  return null
}

async function readPool(query: LpSharesQuery, pool: RiskPool): Promise<LpFacts | null> {
  const { rpc, signal } = query
  const [account = null] = await readAccounts(rpc, [pool.address], { signal })
  if (pool.venue === lockedVenue) return account && lockedLiquidity(pool.address, account)
  if (pool.venue === positionsVenue) return account && readPositions(query, pool.address, account)
  const { bytes, mint: mintAt, supply: supplyAt } = layouts[pool.venue]!
  if (account === null || account.data.length < bytes) return null
  const lpMint = encodeBase58(account.data.subarray(mintAt, mintAt + keyBytes))
  const [mintAccount = null] = await readAccounts(rpc, [lpMint], { signal })
  const mint = mintAccount && readMint(mintAccount)
  const given = supplyAt === null ? mint?.supply : account.data.readBigUInt64LE(supplyAt)
  if (mint === null || given === undefined || given === 0n) return null
  const holders = mint.supply === 0n ? [] : await readLargest(query, lpMint)
  return factsOf(
    query,
    { pair: pool.address, decimals: mint.decimals, given },
    mint.supply,
    holders,
  )
}

/** Locked part of the pool's positions. */
async function readPositions(
  query: LpSharesQuery,
  pair: string,
  account: SolanaAccount,
): Promise<LpFacts | null> {
  const shares = await readPositionShares(query, pair, account)
  if (shares === null) return null
  const { totalRaw, burntRaw, amounts } = shares
  const holders = await toHolders(query, amounts)
  const given = { pair, decimals: 0, given: totalRaw }
  return { ...factsOf(query, given, totalRaw - burntRaw, holders), isSupply: false }
}

type Shares = { pair: string; decimals: number; given: bigint }

/** `holders` is null if no node answers. */
function factsOf(
  { profile, makers }: LpSharesQuery,
  { pair, decimals, given }: Shares,
  supply: bigint,
  holders: readonly LpHolder[] | null,
): LpFacts {
  const sumOf = (kinds: readonly LpHolder['kind'][]) =>
    (holders ?? []).reduce((sum, one) => (kinds.includes(one.kind) ? sum + one.amountRaw : sum), 0n)
  const listed = (holders ?? []).reduce((sum, { amountRaw }) => sum + amountRaw, 0n)
  const totalRaw = given > supply ? given : supply
  const isKnown = holders !== null && (supply - listed) * unknownDivisorMin <= totalRaw
  const tied = new Set([...profile.burnAddresses, ...profile.lockers])
  const hasMakers = makers.some((maker) => !tied.has(maker))
  return {
    pair,
    totalRaw,
    isSupply: true,
    decimals,
    holders: holders ?? [],
    holderCount: holders !== null && listed === supply ? holders.length : null,
    burntRaw: isKnown ? totalRaw - supply + sumOf(['burn']) : null,
    lockedRaw: isKnown ? sumOf(['lock']) : null,
    makerRaw: isKnown && hasMakers ? sumOf(['creator']) : null,
  }
}

/** Largest first: nodes list twenty accounts. Null if they refuse. */
async function readLargest(query: LpSharesQuery, lpMint: string): Promise<LpHolder[] | null> {
  const { rpc, signal } = query
  const params = [lpMint, { commitment: 'confirmed' }]
  const answer = await rpc.request('getTokenLargestAccounts', params, { signal }).catch(() => null)
  const { value } = (answer ?? {}) as { value?: unknown }
  if (!Array.isArray(value)) return null
  const largest = value as readonly { address?: unknown; amount?: unknown }[]
  const addresses = largest.map(({ address }) => String(address))
  const accounts = await readAccounts(rpc, addresses, { signal })
  const amounts = new Map<string, bigint>()
  for (const [at, account] of accounts.entries()) {
    if (account === null || account.data.length < ownerAt + keyBytes) return null
    const owner = encodeBase58(account.data.subarray(ownerAt, ownerAt + keyBytes))
    const amount = BigInt(String(largest[at]!.amount))
    if (amount > 0n) amounts.set(owner, (amounts.get(owner) ?? 0n) + amount)
  }
  return await toHolders(query, amounts)
}

/** Adds the kind of each owner; largest first. */
async function toHolders(
  query: LpSharesQuery,
  amounts: ReadonlyMap<string, bigint>,
): Promise<LpHolder[]> {
  const { rpc, signal } = query
  const owners = [...amounts.keys()]
  const kept = owners.length === 0 ? [] : await readAccounts(rpc, owners, { signal })
  return owners
    .map((address, at): LpHolder => {
      return { address, amountRaw: amounts.get(address)!, kind: kindOf(query, address, kept[at]!) }
    })
    .toSorted((a, b) => (a.amountRaw < b.amountRaw ? 1 : a.amountRaw > b.amountRaw ? -1 : 0))
}

function kindOf(
  { profile, makers }: LpSharesQuery,
  address: string,
  account: SolanaAccount | null,
): LpHolder['kind'] {
  const isWallet = account === null || account.owner === systemProgram
  if (profile.burnAddresses.includes(address)) return 'burn'
  if (profile.lockers.includes(address) || isEscrow(account)) return 'lock'
  if (makers.includes(address)) return 'creator'
  return isWallet ? 'wallet' : 'contract'
}

function isEscrow(account: SolanaAccount | null): boolean {
  if (account?.owner !== escrowProgram || account.data.length < tagBytes) return false
  return account.data.readBigUInt64BE(0) === escrowTag
}
