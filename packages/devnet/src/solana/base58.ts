const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
// Digits are made in groups of four, from up to three bytes at a time, so all products are exact.
const groupDigits = 4
const groupBase = 58 ** groupDigits
const bytesAtATime = 3

/** Encodes bytes as Solana writes keys, signatures and instructions. */
export function encodeBase58(bytes: Uint8Array): string {
  let zeros = 0
  while (zeros < bytes.length && bytes[zeros] === 0) zeros++
  const groups: number[] = []
  for (let at = zeros; at < bytes.length; at += bytesAtATime) {
    let [carry, scale] = [0, 1]
    for (const byte of bytes.subarray(at, at + bytesAtATime)) {
      carry = carry * 256 + byte
      scale *= 256
    }
    for (let i = 0; i < groups.length; i++) {
      const value = groups[i]! * scale + carry
      carry = Math.floor(value / groupBase)
      groups[i] = value - carry * groupBase
    }
    while (carry > 0) {
      groups.push(carry % groupBase)
      carry = Math.floor(carry / groupBase)
    }
  }
  const text = groups.reduceRight((all, group) => all + digitsOf(group), '')
  return '1'.repeat(zeros) + text.replace(/^1+/, '')
}

function digitsOf(group: number): string {
  let text = ''
  for (let rest = group; text.length < groupDigits; rest = Math.floor(rest / 58))
    text = alphabet[rest % 58]! + text
  return text
}

export function decodeBase58(text: string): Buffer {
  let zeros = 0
  while (text[zeros] === '1') zeros++
  let value = 0n
  for (const letter of text) value = value * 58n + BigInt(alphabet.indexOf(letter))
  const hex = value === 0n ? '' : value.toString(16)
  const digits = hex.length % 2 === 0 ? hex : `0${hex}`
  return Buffer.concat([Buffer.alloc(zeros), Buffer.from(digits, 'hex')])
}
