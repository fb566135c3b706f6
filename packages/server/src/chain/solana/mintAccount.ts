import { encodeBase58 } from '../../lib/bytes/base58.ts'
import type { SolanaAccount } from './readAccounts.ts'

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
// A mint with extensions is padded to the length of a token account; the byte after it tells them
// apart.
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
