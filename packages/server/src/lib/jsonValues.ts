import { constants } from 'node:buffer'

export type JsonValuesOptions = {
  /** What is thrown at a text that is not JSON. */
  fail(reason: string): Error
  /** A list on the outside that is longer comes in parts, each a list of its own. @default 64 MiB */
  listBytesMax?: number | undefined
}

const bytesOf = (text: string) => [...Buffer.from(text)] as [number, number, number, number]
const [newline, quote, backslash, comma] = bytesOf('\n"\\,')
const [listStart, listEnd, objectStart, objectEnd] = bytesOf('[]{}')
const listStarts = Buffer.from('[')
const listEnds = Buffer.from(']')

const isVisible = (byte: number) => byte > 0x20

/** Where in a value a byte stands. Numbers, not words: there is one for every byte of a file. */
const place = { outside: 0, start: 1, inside: 2, betweenItems: 3, end: 4 } as const
type Place = (typeof place)[keyof typeof place]

/** Goes through a text byte by byte. */
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

  /** Does this byte of a text end it, and nothing is around it? */
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
 * The JSON values of a text, which stand one after the other: one alone, one on each line, or each over many lines. No more
 * than one of them is held, so that a text may be of any length.
 */
export async function* jsonValues(
  chunks: AsyncIterable<Buffer>,
  { fail, listBytesMax = 64 << 20 }: JsonValuesOptions,
): AsyncGenerator<unknown> {
  const scanner = new JsonScanner()
  const held: Buffer[] = []
  let [size, line, firstLine, count] = [0, 1, 1, 0]

  function hold(part: Buffer): void {
    held.push(part)
    size += part.length
    if (size > constants.MAX_STRING_LENGTH)
      throw fail(`What begins in line ${firstLine} is too long to be read at once.`)
  }

  function take(): unknown {
    const text = (held.length === 1 ? held[0]! : Buffer.concat(held)).toString()
    held.length = 0
    size = 0
    count++
    try {
      return JSON.parse(text)
    } catch {
      throw fail(count === 1 ? 'It is not JSON.' : `Line ${firstLine} is not JSON.`)
    }
  }

  for await (const chunk of chunks) {
    // Behind what was held or taken; null: no value is open.
    let start = size > 0 ? 0 : null
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]!
      if (byte === newline) line++
      const found = scanner.next(byte)
      if (found === place.start) {
        start = at
        firstLine = line
      } else if (found === place.end) {
        hold(chunk.subarray(start!, at + 1))
        start = null
        yield take()
      } else if (found === place.betweenItems && size + at - start! > listBytesMax) {
        hold(chunk.subarray(start!, at))
        hold(listEnds)
        yield take()
        hold(listStarts)
        start = at + 1
      }
    }
    if (start !== null) hold(chunk.subarray(start))
  }
  if (size > 0) yield take()
  if (count === 0) throw fail('It is empty.')
}
