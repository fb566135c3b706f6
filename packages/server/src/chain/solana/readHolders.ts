import { encodeBase58 } from '../../lib/bytes/base58.ts'
import { RpcError } from '../errors.ts'
import type { Rpc } from '../rpc/rpc.ts'

export type HoldersQuery = {
  mint: string
  /** The token program of the mint. */
  program: string
  /** The node must have processed this slot. */
  minSlot: number
  signal: AbortSignal
}

/** A token account with a balance. */
export type TokenHolding = { account: string; owner: string; amount: bigint }

const tokenProgram = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
// Length of a token account without extensions; accounts of the older program always have it.
const accountBytes = 165
// Part of a token account with owner and amount, which follow the mint.
const slice = { offset: 32, length: 40 }
const keyBytes = 32

/**
 * Reads all token accounts of a mint as of one slot. Nodes scan all accounts of the program for it,
 * or an index: many refuse, and the answer is long.
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
