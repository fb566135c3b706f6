/** Families of chains by how they write addresses. */
export type ChainKind = 'evm' | 'solana'

const evm20Bytes = /^0x[0-9a-fA-F]{40}$/
const evm32Bytes = /^0x[0-9a-fA-F]{64}$/
const base58Alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
// 32 bytes in base58: 58^44 > 2^256, and 32 zero bytes are 32 ones.
const base58CharsMin = 32
const base58CharsMax = 44

/** The one text of a token address on its chain, or null when it cannot be one. */
export function canonicalToken(kind: ChainKind, text: string): string | null {
  if (kind === 'solana') return isSolanaAddress(text) ? text : null
  return evm20Bytes.test(text) ? text.toLowerCase() : null
}

/** The one text of a pair: a pool's address, or a 32-byte pool id on venues that hold many pools. */
export function canonicalPair(kind: ChainKind, text: string): string | null {
  if (kind === 'solana') return isSolanaAddress(text) ? text : null
  return evm20Bytes.test(text) || evm32Bytes.test(text) ? text.toLowerCase() : null
}

function isSolanaAddress(text: string): boolean {
  if (text.length < base58CharsMin || text.length > base58CharsMax) return false
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
  return leadingOnes + significantBytes === 32
}
