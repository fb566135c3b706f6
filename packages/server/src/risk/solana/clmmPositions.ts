import type { Rpc } from '../../chain/rpc/rpc.ts'
import { readAccounts, type SolanaAccount } from '../../chain/solana/accounts.ts'
import { encodeBase58 } from '../../lib/bytes/base58.ts'

/** Raydium's CLMM: liquidity is in positions, each owned by the holder of an NFT. */
export const positionsVenue = 'raydiumClmm'

const program = 'CAMMCzo5YL8w4VFF8KVHrK22GGUsp5VTaW7grrKgrWqK'
const poolTag = 0xf7ede3f5d7c3de46n
const poolBytes = 1_544
const [liquidityAt, tickAt] = [237, 269]
const keyBytes = 32
const ownerAt = 32

// Offsets in a position's account: NFT, pool, lower and upper tick, liquidity.
const positionBytes = 281
const poolInPositionAt = 41
const slice = { offset: 9, length: 88 }
const [lowerAt, upperAt, amountAt] = [64, 68, 72]
// Smaller positions are not worth a call each.
const positionsMax = 40

type PositionsQuery = { rpc: Pick<Rpc, 'requestBatch' | 'request'>; signal: AbortSignal }

/**
 * The liquidity at the current price: its total, the part locked for good, and the owners of the
 * largest other parts.
 */
type PositionShares = {
  totalRaw: bigint
  burntRaw: bigint
  amounts: ReadonlyMap<string, bigint>
}

type Position = { nft: string; liquidity: bigint }

/** Null if the account is not such a pool, is empty, or nodes do not list its positions. */
export async function readPositionShares(
  query: PositionsQuery,
  pool: string,
  { owner, data }: SolanaAccount,
): Promise<PositionShares | null> {
  if (owner !== program || data.length < poolBytes) return null
  if (data.readBigUInt64BE(0) !== poolTag) return null
  const totalRaw = readU128(data, liquidityAt)
  if (totalRaw === 0n) return null
  const positions = await readPositions(query, pool, data.readInt32LE(tickAt))
  if (positions === null) return null
  const owners = await readOwners(query, positions)
  let burntRaw = 0n
  const amounts = new Map<string, bigint>()
  for (const [at, { liquidity }] of positions.entries()) {
    const holder = owners[at]
    if (holder === burnt) burntRaw += liquidity
    else if (holder) amounts.set(holder, (amounts.get(holder) ?? 0n) + liquidity)
  }
  return { totalRaw, burntRaw, amounts }
}

/** The largest positions around the current price. Null if nodes refuse. */
async function readPositions(
  { rpc, signal }: PositionsQuery,
  pool: string,
  tick: number,
): Promise<Position[] | null> {
  const filters = [
    { dataSize: positionBytes },
    { memcmp: { offset: poolInPositionAt, bytes: pool } },
  ]
  const config = { encoding: 'base64', commitment: 'confirmed', dataSlice: slice, filters }
  const request = rpc.request('getProgramAccounts', [program, config], { signal })
  const answer = await request.catch(() => null)
  if (!Array.isArray(answer)) return null
  return answer
    .flatMap((listed) => positionOf(listed, tick))
    .toSorted((a, b) => (a.liquidity < b.liquidity ? 1 : a.liquidity > b.liquidity ? -1 : 0))
    .slice(0, positionsMax)
}

function positionOf(listed: unknown, tick: number): Position[] {
  const { account } = (listed ?? {}) as { account?: { data?: unknown } }
  const text = Array.isArray(account?.data) ? String(account.data[0]) : ''
  const data = Buffer.from(text, 'base64')
  if (data.length < slice.length) return []
  const liquidity = readU128(data, amountAt)
  const isActive = data.readInt32LE(lowerAt) <= tick && tick < data.readInt32LE(upperAt)
  if (!isActive || liquidity === 0n) return []
  return [{ nft: encodeBase58(data.subarray(0, keyBytes)), liquidity }]
}

const burnt = 'burnt'

/** Owner of each NFT: `burnt` if burnt, null if no node answers. */
async function readOwners(
  { rpc, signal }: PositionsQuery,
  positions: readonly Position[],
): Promise<(string | null)[]> {
  const method = 'getTokenLargestAccounts'
  const calls = positions.map(({ nft }) => ({
    method,
    params: [nft, { commitment: 'confirmed' }],
  }))
  const answers = calls.length === 0 ? [] : await rpc.requestBatch(calls, { signal })
  const accounts = answers.map((answer) => (answer.ok ? accountIn(answer.value) : null))
  const named = accounts.filter((account) => account !== null && account !== burnt)
  const held = named.length === 0 ? [] : await readAccounts(rpc, named as string[], { signal })
  const owners = new Map(named.map((account, at) => [account, ownerOf(held[at]!)]))
  return accounts.map((account) => (account === burnt ? burnt : (owners.get(account) ?? null)))
}

function accountIn(answer: unknown): string | null {
  const { value } = (answer ?? {}) as { value?: unknown }
  if (!Array.isArray(value)) return null
  const held = (value as readonly { address?: unknown; amount?: unknown }[]).find(
    ({ amount }) => amount !== '0',
  )
  return held === undefined ? burnt : String(held.address)
}

function ownerOf(account: SolanaAccount | null): string | null {
  if (account === null || account.data.length < ownerAt + keyBytes) return null
  return encodeBase58(account.data.subarray(ownerAt, ownerAt + keyBytes))
}

function readU128(data: Buffer, at: number): bigint {
  return data.readBigUInt64LE(at) + (data.readBigUInt64LE(at + 8) << 64n)
}
