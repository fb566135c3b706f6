import type { Readable } from 'node:stream'

/** Reads a stream in requested lengths, with little of it in memory. */
type ByteSource = {
  /** Returns exactly this many bytes. */
  take(length: number): Promise<Buffer>
  /**
   * Reads up to the end of the line, without it. Of a longer line it returns the beginning, which
   * matches no valid line.
   */
  line(bytesMax: number): Promise<string>
  /** Reads the rest, by which the stream checks its content. Returns the length. */
  drain(): Promise<number>
}

/** `faultOf` words the error if the stream fails or, with null, ends too early. */
export function createByteSource(
  stream: Readable,
  faultOf: (error: Error | null) => Error,
): ByteSource {
  const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  let rest: Buffer = Buffer.alloc(0)

  async function next(): Promise<Buffer | null> {
    const { done, value } = await chunks.next().catch((error: Error) => {
      throw faultOf(error)
    })
    return done ? null : value
  }

  async function more(): Promise<Buffer> {
    const chunk = await next()
    if (chunk === null) throw faultOf(null)
    return chunk
  }

  return {
    async take(length) {
      const found = [rest]
      let foundBytes = rest.byteLength
      while (foundBytes < length) {
        const chunk = await more()
        found.push(chunk)
        foundBytes += chunk.byteLength
      }
      const all = found.length === 1 ? rest : Buffer.concat(found)
      rest = all.subarray(length)
      return all.subarray(0, length)
    },
    async line(bytesMax) {
      for (let from = 0; ; ) {
        const end = rest.indexOf(0x0a, from)
        if (end >= 0) {
          const text = rest.toString('utf8', 0, end)
          rest = rest.subarray(end + 1)
          return text
        }
        if (rest.byteLength > bytesMax) return rest.toString('utf8', 0, bytesMax)
        from = rest.byteLength
        rest = Buffer.concat([rest, await more()])
      }
    },
    async drain() {
      let length = rest.byteLength
      for (let chunk = await next(); chunk !== null; chunk = await next())
        length += chunk.byteLength
      return length
    },
  }
}
