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

// Longer than any list within a block's gas.
const itemsMax = 10_000n

/**
 * Finds the items of a dynamic list of words. Its place holds an offset in bytes, counted from the
 * word `base`. Null if the data has no such list.
 */
export function findWordList(
  data: string,
  place: number,
  base = 0,
): { first: number; count: number } | null {
  if (data.length < dataLength(place + 1)) return null
  const offset = readUint(data, place)
  if (offset % 32n !== 0n || offset > BigInt(data.length)) return null
  const at = base + Number(offset / 32n)
  if (data.length < dataLength(at + 1)) return null
  const count = readUint(data, at)
  if (count > itemsMax || data.length < dataLength(at + 1 + Number(count))) return null
  return { first: at + 1, count: Number(count) }
}

const uint128Mask = (1n << 128n) - 1n

/** Amounts of both tokens in one word, the first token's in the lower half. */
export function unpack(word: bigint): { amount0: bigint; amount1: bigint } {
  return { amount0: word & uint128Mask, amount1: word >> 128n }
}

/** Sums such words in a list whose offset is at `place`. Null if there is no such list. */
export function sumPacked(
  data: string,
  place: number,
): { amount0: bigint; amount1: bigint } | null {
  const list = findWordList(data, place)
  if (list === null) return null
  const sum = { amount0: 0n, amount1: 0n }
  for (let i = 0; i < list.count; i++) {
    const { amount0, amount1 } = unpack(readUint(data, list.first + i))
    sum.amount0 += amount0
    sum.amount1 += amount1
  }
  return sum
}
