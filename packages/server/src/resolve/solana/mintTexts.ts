import type { MintAccount } from '../../chain/solana/mintAccount.ts'
import { cleanBytes, cleanText } from '../tokens/cleanText.ts'

export type TokenTexts = { name: string; symbol: string }

export type TextLimits = { nameCharsMax: number; symbolCharsMax: number }

const nameExtension = 19
const metadataKey = 4
const keyBytes = 32
const uriCharsMax = 512

/** What the mint itself says it is called, in an extension. Null: it does not. */
export function readNameExtension(mint: MintAccount, limits: TextLimits): TokenTexts | null {
  const value = mint.extensions.get(nameExtension)
  return value === undefined ? null : textsAt(value, 2 * keyBytes, limits)
}

/** What an account of Metaplex says. Null: it is none. */
export function readMetadataAccount(data: Buffer, limits: TextLimits): TokenTexts | null {
  return data[0] === metadataKey ? textsAt(data, 1 + 2 * keyBytes, limits) : null
}

/** Where the mint itself says that there is more, in an extension. Null: it does not. */
export function readUriExtension(mint: MintAccount): string | null {
  const value = mint.extensions.get(nameExtension)
  return value === undefined ? null : uriAt(value, 2 * keyBytes)
}

/** Where an account of Metaplex says so. Null: it is none. */
export function readMetadataUri(data: Buffer): string | null {
  return data[0] === metadataKey ? uriAt(data, 1 + 2 * keyBytes) : null
}

/** The text behind name and symbol, cleaned. */
function uriAt(data: Buffer, at: number): string | null {
  const name = textAt(data, at)
  const symbol = name && textAt(data, name.end)
  const uri = symbol && textAt(data, symbol.end)
  return uri && cleanBytes(uri.bytes, uriCharsMax)
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
