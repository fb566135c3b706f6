import type { MintAccount } from '../../chain/solana/accounts.ts'
import { decodeBase58 } from '../../lib/bytes/base58.ts'
import { programAddressOf } from '../../lib/programAddress.ts'
import { cleanBytes, cleanText } from '../cleanText.ts'

type TokenNames = { name: string; symbol: string }

export type TokenNameLimits = { nameCharsMax: number; symbolCharsMax: number }

const nameExtension = 19
const metadataKey = 4
const keyBytes = 32
const uriCharsMax = 512

/** Reads name and symbol from the mint's metadata extension; null without one. */
export function readNameExtension(mint: MintAccount, limits: TokenNameLimits): TokenNames | null {
  const value = mint.extensions.get(nameExtension)
  return value === undefined ? null : textsAt(value, 2 * keyBytes, limits)
}

/** Reads name and symbol from a Metaplex account; null if the data is not one. */
export function readMetadataAccount(data: Buffer, limits: TokenNameLimits): TokenNames | null {
  return data[0] === metadataKey ? textsAt(data, 1 + 2 * keyBytes, limits) : null
}

/** Reads the metadata URI from the mint's metadata extension; null without one. */
export function readUriExtension(mint: MintAccount): string | null {
  const value = mint.extensions.get(nameExtension)
  return value === undefined ? null : uriAt(value, 2 * keyBytes)
}

/** Reads the metadata URI from a Metaplex account; null if the data is not one. */
export function readMetadataUri(data: Buffer): string | null {
  return data[0] === metadataKey ? uriAt(data, 1 + 2 * keyBytes) : null
}

/** Reads the URI that follows name and symbol, cleaned. */
function uriAt(data: Buffer, at: number): string | null {
  const name = textAt(data, at)
  const symbol = name && textAt(data, name.end)
  const uri = symbol && textAt(data, symbol.end)
  return uri && cleanBytes(uri.bytes, uriCharsMax)
}

/** Reads name and symbol, each prefixed with its length. */
function textsAt(data: Buffer, at: number, limits: TokenNameLimits): TokenNames | null {
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

/** Reads a length-prefixed text. Zero padding stays in it and is cleaned away later. */
function textAt(data: Buffer, at: number): { bytes: Buffer; end: number } | null {
  if (at + 4 > data.length) return null
  const end = at + 4 + data.readUInt32LE(at)
  return end > data.length ? null : { bytes: data.subarray(at + 4, end), end }
}

export const metadataProgram = 'metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s'

const programBytes = decodeBase58(metadataProgram)!

/** Returns the address of the Metaplex account with a mint's name and symbol. */
export function metadataAddressOf(mint: string): string {
  const seeds = [Buffer.from('metadata'), programBytes, decodeBase58(mint)!]
  return programAddressOf(metadataProgram, seeds)
}
