const high20 = 2 ** 32

/**
 * Hash of an account's text with 52 bits, never 0. It mixes four characters at a time into two
 * lanes by multiplication and rotation. Among 32,768 wallets of one pair, two collide with a chance
 * of about 1 in 8 million.
 */
export function walletHash(wallet: string): number {
  const { length } = wallet
  let a = 0x9e3779b1 ^ length
  let b = 0x85ebca6b
  let index = 0
  for (; index + 4 <= length; index += 4) {
    const word =
      wallet.charCodeAt(index) ^
      (wallet.charCodeAt(index + 1) << 8) ^
      (wallet.charCodeAt(index + 2) << 16) ^
      (wallet.charCodeAt(index + 3) << 24)
    a = Math.imul(a ^ word, 0xcc9e2d51)
    a = (a << 15) | (a >>> 17)
    b = Math.imul(b + word, 0x1b873593)
    b ^= b >>> 15
  }
  for (; index < length; index += 1) {
    const code = wallet.charCodeAt(index)
    a = Math.imul(a ^ code, 0xcc9e2d51)
    a = (a << 15) | (a >>> 17)
    b = Math.imul(b + code, 0x1b873593)
    b ^= b >>> 15
  }
  a ^= b
  a = Math.imul(a ^ (a >>> 16), 0x7feb352d)
  a = Math.imul(a ^ (a >>> 15), 0x846ca68b)
  a ^= a >>> 16
  b = Math.imul(b ^ (b >>> 16), 0x21f0aaad)
  b = Math.imul(b ^ (b >>> 15), 0x735a2d97)
  b ^= b >>> 15
  return (b >>> 12) * high20 + (a >>> 0) || 1
}
