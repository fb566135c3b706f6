const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const keyBytes = 32

// Sixteen numbers of two bytes are turned into nine of five digits: what is summed up for one of these stays an exact double.
const wordCount = 16
const wordBits = 16n
const groupCount = 9
const groupDigits = 5
const groupBase = 58 ** groupDigits
const digitCount = groupCount * groupDigits

/** What one of each word is worth in groups of digits, the highest first. */
const worths = new Float64Array(wordCount * groupCount)
for (let word = 0; word < wordCount; word++) {
  let rest = 1n << (wordBits * BigInt(wordCount - 1 - word))
  for (let group = groupCount - 1; group >= 0; group--) {
    worths[word * groupCount + group] = Number(rest % BigInt(groupBase))
    rest /= BigInt(groupBase)
  }
}

const codes = Uint8Array.from(alphabet, (letter) => letter.charCodeAt(0))
const groups = new Float64Array(groupCount)
const letters = Buffer.alloc(digitCount)

/** The key of 32 bytes at a place in base58, as `encodeBase58` has it: what is written most has a way of its own. */
export function encodeKey(bytes: Uint8Array, at: number): string {
  groups.fill(0)
  for (let word = 0; word < wordCount; word++) {
    const value = bytes[at + 2 * word]! * 256 + bytes[at + 2 * word + 1]!
    const row = word * groupCount
    for (let group = 0; group < groupCount; group++) groups[group]! += value * worths[row + group]!
  }
  for (let group = groupCount - 1; group > 0; group--) {
    const carry = Math.floor(groups[group]! / groupBase)
    groups[group]! -= carry * groupBase
    groups[group - 1]! += carry
  }
  for (let group = 0; group < groupCount; group++) writeGroup(groups[group]!, group * groupDigits)
  // A zero byte in front is written as one letter, the first of the alphabet.
  let zeros = 0
  while (zeros < keyBytes && bytes[at + zeros] === 0) zeros++
  let empty = 0
  while (empty < digitCount && letters[empty] === codes[0]) empty++
  return letters.toString('latin1', empty - zeros, digitCount)
}

function writeGroup(value: number, at: number): void {
  let rest = value | 0
  for (let place = at + groupDigits - 1; place >= at; place--) {
    const left = (rest / 58) | 0
    letters[place] = codes[rest - left * 58]!
    rest = left
  }
}
