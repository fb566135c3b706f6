import { createReadStream } from 'node:fs'
import { pipeline, Readable } from 'node:stream'
import { TextDecoder } from 'node:util'
import { createGunzip } from 'node:zlib'
import { DecodeInputError } from '../errors.ts'

type SourceOptions = {
  /** A file, or `-` for the result of `readInput`. */
  source: string
  readInput(): Promise<Buffer>
}

const chunkBytes = 1 << 20

/**
 * Opens input that can be iterated several times without holding it in memory: a file may cover
 * many days.
 */
export async function openInput({ source, readInput }: SourceOptions): Promise<Chunks> {
  const cannotRead = (cause: unknown) =>
    new DecodeInputError({ source, reason: 'The file cannot be read.', cause })
  const input = source === '-' ? await readInput() : null
  const open = () => (input ? [input] : createReadStream(source, { highWaterMark: chunkBytes }))
  return {
    async *[Symbol.asyncIterator]() {
      try {
        yield* plainText(open())
      } catch (cause) {
        throw cannotRead(cause)
      }
    },
  }
}

type Chunks = AsyncIterable<Buffer>

/** Converts gzip, UTF-16 and UTF-8 with a byte order mark to plain UTF-8. */
async function* plainText(chunks: Iterable<Buffer> | Chunks): Chunks {
  let isFirst = true
  let wide: TextDecoder | null = null
  const iterator = Readable.from(chunks)[Symbol.asyncIterator]()
  for await (const chunk of { [Symbol.asyncIterator]: () => iterator } as Chunks) {
    if (!isFirst) {
      yield wide ? Buffer.from(wide.decode(chunk, { stream: true })) : chunk
      continue
    }
    isFirst = false
    if (chunk[0] === 0x1f && chunk[1] === 0x8b) {
      yield* plainText(unzip(chunk, iterator))
      return
    }
    // Some shells redirect output to a file as UTF-16.
    if (chunk[0] === 0xff && chunk[1] === 0xfe) {
      wide = new TextDecoder('utf-16le')
      yield Buffer.from(wide.decode(chunk, { stream: true }))
      continue
    }
    const hasMark = chunk[0] === 0xef && chunk[1] === 0xbb && chunk[2] === 0xbf
    yield hasMark ? chunk.subarray(3) : chunk
  }
}

function unzip(first: Buffer, rest: AsyncIterator<Buffer>): Chunks {
  async function* zipped() {
    yield first
    for (;;) {
      const { done, value } = await rest.next()
      if (done) return
      yield value
    }
  }
  const gunzip = createGunzip({ chunkSize: chunkBytes })
  // Ignore errors in this callback: the consumer of `gunzip` receives them.
  pipeline(Readable.from(zipped()), gunzip, () => undefined)
  return gunzip
}
