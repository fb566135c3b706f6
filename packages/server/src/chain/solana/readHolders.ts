import { encodeBase58 } from '../../lib/bytes/base58.ts'
import { RpcError } from '../errors.ts'
import type { Rpc } from '../rpc/rpc.ts'

export type HoldersQuery = {
  mint: string
  /** The token program that keeps the mint. */
  program: string
  /** The node must have come so far. */
  minSlot: number
  signal: AbortSignal
}

/** What each token account of a mint has, of those that have something. */
export type TokenHolding = { account: string; owner: string; amount: bigint }

const tokenProgram = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
// Of an account without extensions, which those of the older program never have.
const accountBytes = 165
// Owner and amount stand behind the mint.
const slice = { offset: 32, length: 40 }
const keyBytes = 32

/**
 * Every account of a mint as of one slot. Nodes go through all accounts of the program for it, or an index of theirs: many
 * refuse, and the answer is long.
 */
export async function readHolders(
  rpc: Pick<Rpc, 'request'>,
  { mint, program, minSlot, signal }: HoldersQuery,
): Promise<{ slot: number; holdings: TokenHolding[] }> {
  const ofMint = { memcmp: { offset: 0, bytes: mint } }
  const filters = program === tokenProgram ? [{ dataSize: accountBytes }, ofMint] : [ofMint]
  const method = 'getProgramAccounts'
  const config = {
    encoding: 'base64',
    commitment: 'confirmed',
    withContext: true,
    minContextSlot: minSlot,
    dataSlice: slice,
    filters,
  }
  const answer = await rpc.request(method, [program, config], { signal, isBackground: true })
  const { context, value } = (answer ?? {}) as { context?: { slot?: unknown }; value?: unknown }
  const slot = context?.slot
  if (typeof slot !== 'number' || slot < minSlot || !Array.isArray(value))
    throw new RpcError({
      kind: 'malformed',
      method,
      endpoint: null,
      detail: 'No accounts with their slot',
    })
  return { slot, holdings: value.flatMap(holdingOf) }
}

function holdingOf(answer: unknown): TokenHolding[] {
  const { pubkey, account } = (answer ?? {}) as { pubkey?: unknown; account?: { data?: unknown } }
  const data = Array.isArray(account?.data) ? Buffer.from(String(account.data[0]), 'base64') : null
  if (typeof pubkey !== 'string' || data?.length !== slice.length) return []
  const amount = data.readBigUInt64LE(keyBytes)
  return amount === 0n
    ? []
    : [{ account: pubkey, owner: encodeBase58(data.subarray(0, keyBytes)), amount }]
}
