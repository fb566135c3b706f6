/**
 * How a family of chains writes ids. Each function returns the canonical text of an id, by which it
 * is looked up and compared, or null if it is invalid.
 */
export type ChainIds = {
  /** A token; wallets have the same form. */
  token(text: string): string | null
  /** A pair: a pool's address, or its id on venues that keep many pools. */
  pair(text: string): string | null
  transaction(text: string): string | null
  /** Are two ids that differ only in case different? */
  isCaseSensitive: boolean
}

const hex20Bytes = /^0x[0-9a-fA-F]{40}$/
const hex32Bytes = /^0x[0-9a-fA-F]{64}$/

/** Hex in any case; lower case is canonical. */
export const evmIds: ChainIds = {
  isCaseSensitive: false,
  token: (text) => (hex20Bytes.test(text) ? text.toLowerCase() : null),
  pair: (text) => (hex20Bytes.test(text) || hex32Bytes.test(text) ? text.toLowerCase() : null),
  transaction: (text) => (hex32Bytes.test(text) ? text.toLowerCase() : null),
}

const base58Alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const addressBytes = 32
const signatureBytes = 64

/**
 * Base58, which is case-sensitive: addresses of 32 bytes, transactions by their signature of 64.
 */
export const base58Ids: ChainIds = {
  isCaseSensitive: true,
  token: (text) => (isBase58(text, addressBytes) ? text : null),
  pair: (text) => (isBase58(text, addressBytes) ? text : null),
  transaction: (text) => (isBase58(text, signatureBytes) ? text : null),
}

// A digit carries 5.86 bits, a leading zero byte takes one digit.
const charsMaxOf = (bytes: number) => Math.ceil((bytes * 8) / Math.log2(58))

function isBase58(text: string, bytes: number): boolean {
  if (text.length < bytes || text.length > charsMaxOf(bytes)) return false
  let value = 0n
  let leadingOnes = 0
  let isLeading = true
  for (const char of text) {
    const digit = base58Alphabet.indexOf(char)
    if (digit < 0) return false
    if (isLeading && digit === 0) leadingOnes += 1
    else isLeading = false
    value = value * 58n + BigInt(digit)
  }
  const significantBytes = value === 0n ? 0 : Math.ceil(value.toString(16).length / 2)
  return leadingOnes + significantBytes === bytes
}
