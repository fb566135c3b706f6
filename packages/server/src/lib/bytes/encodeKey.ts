const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const codes = Uint8Array.from(alphabet, (letter) => letter.charCodeAt(0))

const keyBytes = 32
const signatureBytes = 64
// Words of two bytes become groups of five digits, whose sums stay exact doubles.
const wordBytes = 2
const wordBits = 16n
const groupDigits = 5
const groupBase = 58 ** groupDigits
const digitsPerByteMax = Math.log(256) / Math.log(58)

/** An `encodeBase58` for a fixed number of bytes, which the most frequent texts have. */
function fixedEncoder(byteCount: number): (bytes: Uint8Array, at: number) => string {
  const wordCount = byteCount / wordBytes
  const groupCount = Math.ceil((byteCount * digitsPerByteMax) / groupDigits)
  const digitCount = groupCount * groupDigits
  const worths = worthsOf(wordCount, groupCount)
  const groups = new Float64Array(groupCount)
  const letters = Buffer.alloc(digitCount)
  return (bytes, at) => {
    groups.fill(0)
    for (let word = 0; word < wordCount; word++) {
      const value = bytes[at + 2 * word]! * 256 + bytes[at + 2 * word + 1]!
      const row = word * groupCount
      for (let group = 0; group < groupCount; group++)
        groups[group]! += value * worths[row + group]!
    }
    for (let group = groupCount - 1; group > 0; group--) {
      const carry = Math.floor(groups[group]! / groupBase)
      groups[group]! -= carry * groupBase
      groups[group - 1]! += carry
    }
    for (let group = 0; group < groupCount; group++)
      writeGroup(letters, groups[group]!, group * groupDigits)
    // A leading zero byte is one character, the first of the alphabet.
    let zeros = 0
    while (zeros < byteCount && bytes[at + zeros] === 0) zeros++
    let empty = 0
    while (empty < digitCount && letters[empty] === codes[0]) empty++
    return letters.toString('latin1', empty - zeros, digitCount)
  }
}

/** Value of 1 in each 32-bit word of a number, as groups of decimal digits, highest first. */
function worthsOf(wordCount: number, groupCount: number): Float64Array {
  const worths = new Float64Array(wordCount * groupCount)
  for (let word = 0; word < wordCount; word++) {
    let rest = 1n << (wordBits * BigInt(wordCount - 1 - word))
    for (let group = groupCount - 1; group >= 0; group--) {
      worths[word * groupCount + group] = Number(rest % BigInt(groupBase))
      rest /= BigInt(groupBase)
    }
  }
  return worths
}

function writeGroup(letters: Buffer, value: number, at: number): void {
  let rest = value | 0
  for (let place = at + groupDigits - 1; place >= at; place--) {
    const left = (rest / 58) | 0
    letters[place] = codes[rest - left * 58]!
    rest = left
  }
}

/** Encodes the signature of 64 bytes at an offset in base58. */
export const encodeSignature = fixedEncoder(signatureBytes)
const encodeAnyKey = fixedEncoder(keyBytes)

// Programs, mints and pools repeat: each slot caches the last encoded key with its hash.
const slotBits = 13
const knownTexts: string[] = new Array(1 << slotBits).fill('')
const knownKeys = new Uint8Array(keyBytes << slotBits)

/** Encodes the key of 32 bytes at an offset in base58. */
export function encodeKey(bytes: Uint8Array, at: number): string {
  // Too few bytes for a cache lookup.
  if (at + keyBytes > bytes.length) return encodeAnyKey(bytes, at)
  const slot = (bytes[at]! | (bytes[at + 1]! << 8)) & ((1 << slotBits) - 1)
  const known = slot * keyBytes
  let same = 0
  while (same < keyBytes && bytes[at + same] === knownKeys[known + same]) same++
  if (same === keyBytes && knownTexts[slot] !== '') return knownTexts[slot]!
  const text = encodeAnyKey(bytes, at)
  for (let byte = 0; byte < keyBytes; byte++) knownKeys[known + byte] = bytes[at + byte]!
  knownTexts[slot] = text
  return text
}
