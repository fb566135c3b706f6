import type { SolanaAccount } from '../../chain/solana/readAccounts.ts'
import { cleanBytes, cleanText } from '../tokens/cleanText.ts'

/** A mint as its account has it, whichever token program keeps it. */
export type MintAccount = {
  decimals: number
  supply: bigint
  hasMintAuthority: boolean
  hasFreezeAuthority: boolean
  /** Extensions of Token-2022, by their number; the first of each. */
  extensions: ReadonlyMap<number, Buffer>
}

export type TokenTexts = { name: string; symbol: string }

export type TextLimits = { nameCharsMax: number; symbolCharsMax: number }

const tokenPrograms: ReadonlySet<string> = new Set([
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
])

const mintBytes = 82
// A mint with extensions is padded to the length of a token account; a byte then says which of both it is.
const accountBytes = 165
const isMint = 1
// More than there are kinds of extensions.
const extensionsMax = 64
const nameExtension = 19
const metadataKey = 4
const keyBytes = 32

/** Null: it is no mint. */
export function readMint({ owner, data }: SolanaAccount): MintAccount | null {
  if (!tokenPrograms.has(owner) || data.length < mintBytes || data[45] !== 1) return null
  if (data.length > mintBytes && data[accountBytes] !== isMint) return null
  return {
    decimals: data[44]!,
    supply: data.readBigUInt64LE(36),
    hasMintAuthority: data.readUInt32LE(0) !== 0,
    hasFreezeAuthority: data.readUInt32LE(46) !== 0,
    extensions: readExtensions(data),
  }
}

function readExtensions(data: Buffer): ReadonlyMap<number, Buffer> {
  const extensions = new Map<number, Buffer>()
  for (let at = accountBytes + 1; at + 4 <= data.length && extensions.size < extensionsMax; ) {
    const [type, length] = [data.readUInt16LE(at), data.readUInt16LE(at + 2)]
    const end = at + 4 + length
    // Type 0 is room that nothing has been put into.
    if (type === 0 || end > data.length) break
    if (!extensions.has(type)) extensions.set(type, data.subarray(at + 4, end))
    at = end
  }
  return extensions
}

/** What the mint itself says it is called, in an extension. Null: it does not. */
export function readNameExtension(mint: MintAccount, limits: TextLimits): TokenTexts | null {
  const value = mint.extensions.get(nameExtension)
  return value === undefined ? null : textsAt(value, 2 * keyBytes, limits)
}

/** What an account of Metaplex says. Null: it is none. */
export function readMetadataAccount(data: Buffer, limits: TextLimits): TokenTexts | null {
  return data[0] === metadataKey ? textsAt(data, 1 + 2 * keyBytes, limits) : null
}

/** A name and a symbol, one after the other, each behind its length. */
function textsAt(data: Buffer, at: number, limits: TextLimits): TokenTexts | null {
  const name = textAt(data, at)
  const symbol = name === null ? null : textAt(data, name.end)
  if (name === null || symbol === null) return null
  const [cleanName, cleanSymbol] = [
    cleanBytes(name.bytes, limits.nameCharsMax),
    cleanBytes(symbol.bytes, limits.symbolCharsMax),
  ]
  return {
    name: cleanName || cleanSymbol,
    symbol: cleanSymbol || cleanText(cleanName, limits.symbolCharsMax),
  }
}

/** Texts may be padded with zeros, which are cleaned away. */
function textAt(data: Buffer, at: number): { bytes: Buffer; end: number } | null {
  if (at + 4 > data.length) return null
  const end = at + 4 + data.readUInt32LE(at)
  return end > data.length ? null : { bytes: data.subarray(at + 4, end), end }
}
