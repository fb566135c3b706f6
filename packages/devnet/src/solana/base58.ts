const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const base = 58n
// So many digits are taken off a long number at a time: these fit into a double.
const groupDigits = 8
const groupBase = base ** BigInt(groupDigits)

/** Bytes as Solana writes keys, signatures and instructions. */
export function encodeBase58(bytes: Uint8Array): string {
  let zeros = 0
  while (zeros < bytes.length && bytes[zeros] === 0) zeros++
  let rest = BigInt(`0x0${Buffer.from(bytes).toString('hex')}`)
  let text = ''
  while (rest > 0n) {
    text = digitsOf(Number(rest % groupBase), rest < groupBase) + text
    rest /= groupBase
  }
  return '1'.repeat(zeros) + text
}

function digitsOf(value: number, isFirst: boolean): string {
  let text = ''
  for (let rest = value; rest > 0; rest = Math.floor(rest / 58)) text = alphabet[rest % 58]! + text
  return isFirst ? text : text.padStart(groupDigits, '1')
}

export function decodeBase58(text: string): Buffer {
  let zeros = 0
  while (text[zeros] === '1') zeros++
  let value = 0n
  for (const letter of text) value = value * base + BigInt(alphabet.indexOf(letter))
  const hex = value === 0n ? '' : value.toString(16)
  const digits = hex.length % 2 === 0 ? hex : `0${hex}`
  return Buffer.concat([Buffer.alloc(zeros), Buffer.from(digits, 'hex')])
}
