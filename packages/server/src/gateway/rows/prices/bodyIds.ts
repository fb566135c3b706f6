import { isAscii } from 'node:buffer'
import { addToHash, dataViewOf, finishHash, hashIdBytes, hashSeed } from './idTable.ts'

/** The ids of a request body, as positions in its bytes. */
export type BodyIds = {
  bytes: Uint8Array
  view: DataView
  count: number
  /** Alternating start and end index of each id. */
  bounds: Int32Array
  /** Hash of each id, as IdTable expects it. */
  hashes: Int32Array
  /** The ids as strings, if already decoded; else null. */
  texts: readonly string[] | null
}

const quote = 0x22
const comma = 0x2c
const bracketEnd = 0x5d
const braceEnd = 0x7d
const backslash = 0x5c
const firstPrintable = 0x20
const lastAscii = 0x7f

/**
 * Finds ids in a body without creating strings. Works on bodies formatted like JSON.stringify
 * output: an object with the id list first, without whitespace or escapes in the list. Also returns
 * the other members. Null: the body has another form, or is not JSON, and needs the normal parser.
 */
type IdsReader = (bytes: Uint8Array) => { ids: BodyIds; rest: object } | null

/**
 * Creates a reader. A result is valid until the reader's next call, because the arrays are reused:
 * new arrays per body would cause frequent garbage collection.
 */
export function createBodyIdsReader(name: string, countMax: number): IdsReader {
  const start = `{"${name}":[`
  const bounds = new Int32Array(countMax * 2)
  const hashes = new Int32Array(countMax)
  return (bytes) => {
    if (!startsWith(bytes, start)) return null
    const view = dataViewOf(bytes)
    let count = 0
    let at = start.length
    for (;;) {
      if (bytes[at] !== quote || count === countMax) return null
      const from = at + 1
      at = endOfText(bytes, view, from, hashes, count)
      if (at < 0) return null
      bounds[count * 2] = from
      bounds[count * 2 + 1] = at
      count += 1
      const next = bytes[at + 1]
      at += 2
      if (next === bracketEnd) break
      if (next !== comma) return null
    }
    const rest = restOf(bytes, at)
    if (rest === null || Object.hasOwn(rest, name)) return null
    return { ids: { bytes, view, count, bounds, hashes, texts: null }, rest }
  }
}

/** Converts ids from parsed JSON into the byte form of the fast path. */
export function bodyIdsOfTexts(texts: readonly string[]): BodyIds {
  const bounds = new Int32Array(texts.length * 2)
  let sizeBytes = 0
  for (const [at, text] of texts.entries()) {
    bounds[at * 2] = sizeBytes
    sizeBytes += Buffer.byteLength(text)
    bounds[at * 2 + 1] = sizeBytes
  }
  const bytes = Buffer.from(texts.join(''))
  const hashes = Int32Array.from(texts, (_, at) =>
    hashIdBytes(bytes, bounds[at * 2]!, bounds[at * 2 + 1]!),
  )
  return { bytes, view: dataViewOf(bytes), count: texts.length, bounds, hashes, texts }
}

export function idTextOf({ bytes, bounds, texts }: BodyIds, at: number): string {
  if (texts !== null) return texts[at]!
  const start = bounds[at * 2]!
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString(
    'latin1',
    start,
    bounds[at * 2 + 1],
  )
}

/** 1 for bytes that need no escape inside a JSON string. */
const isPlain = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= firstPrintable && byte <= lastAscii && byte !== quote && byte !== backslash ? 1 : 0,
)

const ones = 0x01010101
const highBits = 0x80808080
const spaces = firstPrintable * ones
const quotes = quote * ones
const backslashes = backslash * ones

/**
 * Tests four bytes at once: 0 if none of them needs an escape. Subtraction borrows into the high
 * bit of a byte that is a control character, a quote or a backslash.
 */
function notPlain(word: number): number {
  const isQuote = word ^ quotes
  const isBackslash = word ^ backslashes
  return (word | (word - spaces) | (isQuote - ones) | (isBackslash - ones)) & highBits
}

/** Returns the end of a string without escapes, or -1. Stores the string's hash in `hashes`. */
function endOfText(
  bytes: Uint8Array,
  view: DataView,
  from: number,
  hashes: Int32Array,
  count: number,
): number {
  let hash = hashSeed
  let at = from
  for (const last = bytes.length - 4; at <= last; at += 4) {
    const word = view.getInt32(at, true)
    if (notPlain(word) !== 0) break
    hash = addToHash(hash, word)
  }
  for (; at < bytes.length && isPlain[bytes[at]!] === 1; at += 1) hash = addToHash(hash, bytes[at]!)
  if (bytes[at] !== quote) return -1
  hashes[count] = finishHash(hash)
  return at
}

function startsWith(bytes: Uint8Array, text: string): boolean {
  if (bytes.length < text.length) return false
  for (let at = 0; at < text.length; at += 1) if (bytes[at] !== text.charCodeAt(at)) return false
  return true
}

/** Parses the members after the id list as an object. */
function restOf(bytes: Uint8Array, at: number): object | null {
  const isMore = bytes[at] === comma && bytes[at + 1] === quote
  if (!isMore && bytes[at] !== braceEnd) return null
  const part = bytes.subarray(isMore ? at + 1 : at)
  if (!isAscii(part)) return null
  try {
    return JSON.parse(`{${Buffer.from(part).toString('latin1')}`)
  } catch {
    return null
  }
}
