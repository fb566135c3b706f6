import { constants } from 'node:buffer'

/** No answer of a node is nested deeper, however it is wrapped. */
export const nestingMax = 100
export const nestedTooDeeply = `values nested deeper than ${nestingMax} levels`

type JsonValuesOptions = {
  /** Creates the error for a text without any value. */
  fail(reason: string): Error
  /** Reports the line of a value that is not JSON. */
  onSkip?: ((line: number) => void) | undefined
  /** A longer outer list is split into several lists. @default 64 MiB */
  listBytesMax?: number | undefined
}

const bytesOf = (text: string) => [...Buffer.from(text)] as [number, number, number, number]
const [newline, quote, backslash, comma] = bytesOf('\n"\\,')
const [listStart, listEnd, objectStart, objectEnd] = bytesOf('[]{}')
const listStarts = Buffer.from('[')
const listEnds = Buffer.from(']')

const isVisible = (byte: number) => byte > 0x20

/**
 * Position of a byte in a value. Numbers instead of words: there is one for every byte of a file.
 */
const place = { outside: 0, start: 1, inside: 2, betweenItems: 3, end: 4 } as const
type Place = (typeof place)[keyof typeof place]

/** Scans a text byte by byte. */
class JsonScanner {
  #isOpen = false
  #isList = false
  #isText = false
  #isEscaped = false
  #depth = 0

  next(byte: number): Place {
    if (this.#isText) return this.#isEnd(byte) ? this.#close() : place.inside
    const isStart = !this.#isOpen
    if (isStart) {
      if (!isVisible(byte)) return place.outside
      this.#isOpen = true
      this.#isList = byte === listStart
    }
    if (byte === quote) this.#isText = true
    else if (byte === listStart || byte === objectStart) this.#depth++
    else if (byte === listEnd || byte === objectEnd) {
      this.#depth--
      if (this.#depth <= 0 && !isStart) return this.#close()
    } else if (this.#depth <= 0) {
      if (!isVisible(byte)) return this.#close()
    } else if (byte === comma && this.#depth === 1 && this.#isList) return place.betweenItems
    return isStart ? place.start : place.inside
  }

  /** True if this byte ends the current JSON value, outside of nested objects and texts. */
  #isEnd(byte: number): boolean {
    if (this.#isEscaped) this.#isEscaped = false
    else if (byte === backslash) this.#isEscaped = true
    else if (byte === quote) {
      this.#isText = false
      return this.#depth <= 0
    }
    return false
  }

  #close(): Place {
    this.#isOpen = false
    this.#depth = 0
    return place.end
  }
}

/**
 * Yields the JSON values of a text, one after the other: a single value, one on each line, or each
 * over many lines. Holds one value at a time, so the text may be of any length. A value that is not
 * JSON is skipped, up to the next line that starts with an object or a list. A text without any
 * value fails.
 */
export async function* jsonValues(
  chunks: AsyncIterable<Buffer>,
  { fail, onSkip = () => undefined, listBytesMax = 64 << 20 }: JsonValuesOptions,
): AsyncGenerator<unknown> {
  let scanner = new JsonScanner()
  let held: Buffer[] = []
  let [size, line, firstLine, count] = [0, 1, 1, 0]
  let firstReason: string | null = null
  let skipping: 'line' | 'lineStart' | null = null

  function hold(part: Buffer): void {
    held.push(part)
    size += part.length
  }

  function take(): { value: unknown } | { unread: Buffer } {
    const bytes = held.length === 1 ? held[0]! : Buffer.concat(held)
    held = []
    size = 0
    try {
      const value: unknown = JSON.parse(bytes.toString())
      count++
      return { value }
    } catch {
      const isTooLong = bytes.length > constants.MAX_STRING_LENGTH
      firstReason ??= isTooLong
        ? `What begins in line ${firstLine} is too long to be read at once.`
        : 'It is not JSON.'
      onSkip(firstLine)
      scanner = new JsonScanner()
      line = firstLine
      skipping = 'line'
      return { unread: bytes }
    }
  }

  /**
   * Yields the values that end in a chunk. Returns bytes to read again: those of an unreadable
   * value, and what follows it.
   */
  function* readPart(chunk: Buffer): Generator<unknown, Buffer | null> {
    // Start of the open value; null if none is open.
    let start = size > 0 ? 0 : null
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]!
      if (skipping !== null) {
        if (skipping === 'line' || (byte !== listStart && byte !== objectStart)) {
          if (byte === newline) line++
          skipping = byte === newline ? 'lineStart' : 'line'
          continue
        }
        skipping = null
      }
      if (byte === newline) line++
      const found = scanner.next(byte)
      if (found === place.start) {
        start = at
        firstLine = line
      } else if (found === place.end) {
        hold(chunk.subarray(start!, at + 1))
        start = null
        const taken = take()
        if ('unread' in taken) return Buffer.concat([taken.unread, chunk.subarray(at + 1)])
        yield taken.value
      } else if (found === place.betweenItems && size + at - start! > listBytesMax) {
        hold(chunk.subarray(start!, at))
        hold(listEnds)
        const taken = take()
        if ('unread' in taken)
          return Buffer.concat([taken.unread.subarray(0, -1), chunk.subarray(at)])
        yield taken.value
        hold(listStarts)
        start = at + 1
      }
    }
    if (start !== null) hold(chunk.subarray(start))
    return null
  }

  function* read(part: Buffer): Generator<unknown> {
    let rest: Buffer | null = part
    while (rest !== null) rest = yield* readPart(rest)
  }

  for await (const chunk of chunks) {
    yield* read(chunk)
    if (size > constants.MAX_STRING_LENGTH) yield* takeHeld()
  }
  while (size > 0) yield* takeHeld()
  if (count === 0) throw fail(firstReason ?? 'It is empty.')

  function* takeHeld(): Generator<unknown> {
    const taken = take()
    if ('value' in taken) yield taken.value
    else yield* read(taken.unread)
  }
}
