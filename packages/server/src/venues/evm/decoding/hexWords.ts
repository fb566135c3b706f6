/** Start of the words in a log's data, after `0x`. */
const dataStart = 2
const wordDigits = 64

/**
 * Start of a topic with an address: `0x` and 24 zeros, before 40 digits. Other upper bytes mean it
 * is not an address.
 */
const addressTopicStart = `0x${'0'.repeat(24)}`
const topicLength = 66
const addressLength = 42

const int256Sign = 1n << 255n
const int256Span = 1n << 256n

// Every non-hex character sets the upper bit, so that one OR over the digits finds it. Upper case
// is not canonical.
const badDigit = 0x80
const digitClass = new Uint8Array(128).fill(badDigit)
for (const digit of '0123456789abcdef') digitClass[digit.charCodeAt(0)] = 0

/** Minimum length of a data string with this many words. */
export function dataLength(words: number): number {
  return dataStart + words * wordDigits
}

/**
 * Unsigned word. Throws SyntaxError if it is not hex, as BigInt does; the block's loop counts it as
 * malformed.
 */
export function readUint(data: string, word: number): bigint {
  const end = dataLength(word + 1)
  // BigInt ignores white space after the last digit; such a word is not hex.
  const last = data.charCodeAt(end - 1)
  if (last <= 0x20 || last >= 0x7f || data.charCodeAt(1) !== 0x78) return BigInt('not hex')
  // The first word already has BigInt's prefix, so no string is built. Transfer has only this word.
  if (word === 0) return BigInt(data.length === end ? data : data.slice(0, end))
  return BigInt(`0x${data.slice(end - wordDigits, end)}`)
}

/** Signed word, two's complement. */
export function readInt(data: string, word: number): bigint {
  const unsigned = readUint(data, word)
  return unsigned < int256Sign ? unsigned : unsigned - int256Span
}

/** Unsigned number in an indexed argument. */
export function readUintTopic(topic: string): bigint | null {
  return topic.length === topicLength ? readUint(topic, 0) : null
}

/** Address in an indexed argument; null if it is not one. */
export function readAddressTopic(topic: string): string | null {
  if (topic.length !== topicLength || !topic.startsWith(addressTopicStart)) return null
  if (!isLowerHex(topic, 26, topicLength)) return null
  return `0x${topic.slice(26)}`
}

/** Address in a word of the data; null if it is not one. */
export function readAddress(data: string, word: number): string | null {
  const start = dataStart + word * wordDigits
  return readAddressTopic(`0x${data.slice(start, start + wordDigits).toLowerCase()}`)
}

/** A word of the data as text: an id or a hash. */
export function readBytes32(data: string, word: number): string {
  return `0x${data.slice(dataStart + word * wordDigits, dataLength(word + 1)).toLowerCase()}`
}

/** Is it the canonical text of a 20-byte address? */
export function isAddress(text: string): boolean {
  return (
    text.length === addressLength && text.startsWith('0x') && isLowerHex(text, 2, addressLength)
  )
}

function isLowerHex(text: string, start: number, end: number): boolean {
  let codes = 0
  let classes = 0
  for (let i = start; i < end; i++) {
    const code = text.charCodeAt(i)
    codes |= code
    classes |= digitClass[code & 127]!
  }
  return codes < 128 && classes === 0
}
