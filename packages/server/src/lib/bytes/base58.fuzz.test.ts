import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeBase58, encodeBase58 } from './base58.ts'

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

/** The definition: a number in base 58, and a 1 for every leading zero byte. */
function slowly(bytes: Uint8Array): string {
  let value = BigInt(`0x0${Buffer.from(bytes).toString('hex')}`)
  let text = ''
  for (; value > 0n; value /= 58n) text = alphabet[Number(value % 58n)]! + text
  const zeros = bytes.findIndex((byte) => byte !== 0)
  return '1'.repeat(zeros < 0 ? bytes.length : zeros) + text
}

test('behavior: any bytes are written as the definition says, and read back', () => {
  const zeros = fc.uint8Array({ min: 0, max: 0, maxLength: 8 })
  const rest = fc.uint8Array({ maxLength: 400 })
  fc.assert(
    fc.property(zeros, rest, (head, tail) => {
      const bytes = Buffer.concat([head, tail])
      const text = slowly(bytes)
      expect(encodeBase58(bytes)).toBe(text)
      expect(decodeBase58(text)).toEqual(bytes)
    }),
  )
})

test('behavior: a text with another letter is none', () => {
  const letter = fc
    .string({ minLength: 1, maxLength: 1 })
    .filter((char) => !alphabet.includes(char))
  fc.assert(
    fc.property(letter, fc.nat({ max: 20 }), (char, at) => {
      const text = 'So11111111111111111111111111111111111111112'
      expect(decodeBase58(text.slice(0, at) + char + text.slice(at))).toBeNull()
    }),
  )
})
