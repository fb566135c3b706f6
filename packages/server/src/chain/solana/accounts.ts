import { encodeBase58 } from '../../lib/bytes/base58.ts'
import { RpcError } from '../errors.ts'
import type { Rpc } from '../rpc/rpc.ts'
import type { RpcRequestOptions } from '../rpc/rpcCall.ts'
import type { Commitment } from './solanaRpc.ts'

/** An account's current state. */
export type SolanaAccount = { owner: string; lamports: number; data: Buffer }

type AccountsOptions = {
  /** The node must have processed this slot. @default any state */
  minSlot?: number | undefined
  /** Commitment of the state that is read. @default confirmed */
  commitment?: Commitment | undefined
}

// Largest number of accounts that nodes accept in one call.
const accountsPerCall = 100

/**
 * Reads accounts as of the node's newest block, in the order of the addresses. Null for an address
 * without an account. Nodes keep no older state. Throws if no node answers.
 */
export async function readAccounts(
  rpc: Pick<Rpc, 'requestBatch'>,
  addresses: readonly string[],
  options: RpcRequestOptions & AccountsOptions = {},
): Promise<(SolanaAccount | null)[]> {
  const { minSlot, commitment = 'confirmed', ...request } = options
  const config = {
    encoding: 'base64',
    commitment,
    ...(minSlot !== undefined && { minContextSlot: minSlot }),
  }
  const groups: (readonly string[])[] = []
  for (let at = 0; at < addresses.length; at += accountsPerCall)
    groups.push(addresses.slice(at, at + accountsPerCall))
  const calls = groups.map((group) => ({ method: 'getMultipleAccounts', params: [group, config] }))
  const results = await rpc.requestBatch(calls, request)
  return results.flatMap((result, at) => {
    if (!result.ok) throw result.error
    const { value } = (result.value ?? {}) as { value?: unknown }
    const accounts = Array.isArray(value) ? value : []
    return groups[at]!.map((_, place) => accountOf(accounts[place]))
  })
}

function accountOf(account: unknown): SolanaAccount | null {
  const { owner, lamports, data } = (account ?? {}) as Record<string, unknown>
  if (typeof owner !== 'string' || typeof lamports !== 'number' || !Array.isArray(data)) return null
  return { owner, lamports, data: Buffer.from(String(data[0]), 'base64') }
}

/** A mint of either token program. */
export type MintAccount = {
  decimals: number
  supply: bigint
  /** The account that can mint more; null: no account can. */
  mintAuthority: string | null
  /** The account that can freeze balances of holders; null: no account can. */
  freezeAuthority: string | null
  /** Token-2022 extensions by number; the first one of each. */
  extensions: ReadonlyMap<number, Buffer>
}

const tokenPrograms: ReadonlySet<string> = new Set([
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
])

const mintBytes = 82
// Length of a token account without extensions; accounts of the older program always have it. A
// mint with extensions is padded to it; the byte after it tells them apart.
const accountBytes = 165
const isMint = 1
// Limit on the extensions read of a Token-2022 mint; fewer kinds of extensions exist.
const extensionsMax = 64
const keyBytes = 32
const confidentialTransfers = 4
const confidentialSupply = 24

/** Parses a mint; null if the account is not one. */
export function readMint({ owner, data }: SolanaAccount): MintAccount | null {
  if (!tokenPrograms.has(owner) || data.length < mintBytes || data[45] !== 1) return null
  if (data.length > mintBytes && data[accountBytes] !== isMint) return null
  return {
    decimals: data[44]!,
    supply: data.readBigUInt64LE(36),
    mintAuthority: data.readUInt32LE(0) === 0 ? null : readKey(data, 4),
    freezeAuthority: data.readUInt32LE(46) === 0 ? null : readKey(data, 50),
    extensions: readExtensions(data),
  }
}

/** Returns true for mints with confidential transfers: accounts may hold more than they show. */
export function mayHideHoldings({ extensions }: MintAccount): boolean {
  return extensions.has(confidentialTransfers) || extensions.has(confidentialSupply)
}

/**
 * Returns true for mints with confidential minting and burning: only the authority can read the
 * supply, and the public number is meaningless.
 */
export function hidesSupply({ extensions }: MintAccount): boolean {
  return extensions.has(confidentialSupply)
}

function readExtensions(data: Buffer): ReadonlyMap<number, Buffer> {
  const extensions = new Map<number, Buffer>()
  for (let at = accountBytes + 1; at + 4 <= data.length && extensions.size < extensionsMax; ) {
    const [type, length] = [data.readUInt16LE(at), data.readUInt16LE(at + 2)]
    const end = at + 4 + length
    // Type 0 is unused space.
    if (type === 0 || end > data.length) break
    if (!extensions.has(type)) extensions.set(type, data.subarray(at + 4, end))
    at = end
  }
  return extensions
}

/** Reads a key from an extension; null for zeros, which mean no key. */
export function keyIn(value: Buffer | undefined, at = 0): string | null {
  if (value === undefined || value.length < at + keyBytes) return null
  const key = value.subarray(at, at + keyBytes)
  return key.every((byte) => byte === 0) ? null : encodeBase58(key)
}

function readKey(data: Buffer, at: number): string {
  return encodeBase58(data.subarray(at, at + keyBytes))
}

type HoldersQuery = {
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
// Part of a token account with owner and amount, which follow the mint.
const slice = { offset: 32, length: 40 }

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
