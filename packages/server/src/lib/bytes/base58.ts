const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

// Numbers are processed in parts of 3 bytes and 4 digits, so that products stay exact doubles.
const partBase = 2 ** 24
const partMask = partBase - 1
const partBytes = 3
const groupDigits = 4
const groupBase = 58 ** groupDigits

const digitOf = new Int8Array(128).fill(-1)
for (let digit = 0; digit < alphabet.length; digit++) digitOf[alphabet.charCodeAt(digit)] = digit

/** Texts of two digits, created on demand: most of an encoding is these lookups. */
const pairTexts: (string | undefined)[] = []
const pairCount = 58 ** 2

/** Parts of the current number, lowest first. Grows with the longest text so far. */
let parts = new Float64Array(64)

/** The bytes of a base58 text; null if it is not one. */
export function decodeBase58(text: string): Buffer | null {
  const { length } = text
  let zeros = 0
  while (zeros < length && text.charCodeAt(zeros) === 49) zeros++
  const partsMax = Math.ceil(((length - zeros) * 0.7322) / partBytes) + 2
  if (parts.length < partsMax) parts = new Float64Array(partsMax * 2)
  let used = 0
  for (let at = zeros; at < length; ) {
    let group = 0
    let base = 1
    for (const end = Math.min(at + groupDigits, length); at < end; at++) {
      const code = text.charCodeAt(at)
      const digit = code < 128 ? digitOf[code]! : -1
      if (digit < 0) return null
      group = group * 58 + digit
      base *= 58
    }
    for (let i = 0; i < used; i++) {
      const value = parts[i]! * base + group
      // The low bits of an exact double: a remainder would cost ten times as much.
      const low = value & partMask
      parts[i] = low
      group = (value - low) / partBase
    }
    while (group > 0) {
      const low = group & partMask
      parts[used++] = low
      group = (group - low) / partBase
    }
  }
  return bytesOfParts(used, zeros)
}

function bytesOfParts(used: number, zeros: number): Buffer {
  const top = used === 0 ? 0 : parts[used - 1]!
  const topBytes = used === 0 ? 0 : top >= 65_536 ? 3 : top >= 256 ? 2 : 1
  const bytes = Buffer.alloc(zeros + Math.max(0, used - 1) * partBytes + topBytes)
  let at = bytes.length
  for (let i = 0; i < used; i++) {
    let part = parts[i]!
    for (let n = i === used - 1 ? topBytes : partBytes; n > 0; n--) {
      bytes[--at] = part & 255
      part >>>= 8
    }
  }
  return bytes
}

/** Encodes bytes in base58, such as a key of 32 or a signature of 64. */
export function encodeBase58(bytes: Uint8Array): string {
  let zeros = 0
  while (zeros < bytes.length && bytes[zeros] === 0) zeros++
  let used = loadParts(bytes, zeros)
  let text = ''
  while (used > 0) {
    let rest = 0
    for (let i = used - 1; i >= 0; i--) {
      const value = rest * partBase + parts[i]!
      const quotient = Math.floor(value / groupBase)
      parts[i] = quotient
      rest = value - quotient * groupBase
    }
    while (used > 0 && parts[used - 1] === 0) used--
    const low = rest % pairCount
    text = pairText((rest - low) / pairCount) + pairText(low) + text
  }
  let padding = 0
  while (padding < text.length && text.charCodeAt(padding) === 49) padding++
  return '1'.repeat(zeros) + text.slice(padding)
}

function loadParts(bytes: Uint8Array, from: number): number {
  const count = Math.ceil((bytes.length - from) / partBytes)
  if (parts.length < count) parts = new Float64Array(count * 2)
  let end = bytes.length
  for (let i = 0; i < count; i++, end -= partBytes) {
    const first = end - 3 >= from ? bytes[end - 3]! : 0
    const second = end - 2 >= from ? bytes[end - 2]! : 0
    parts[i] = first * 65_536 + second * 256 + bytes[end - 1]!
  }
  return count
}

function pairText(value: number): string {
  const known = pairTexts[value]
  if (known !== undefined) return known
  const low = value % 58
  const made = alphabet[(value - low) / 58]! + alphabet[low]!
  pairTexts[value] = made
  return made
}
