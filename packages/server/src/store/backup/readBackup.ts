import { createHash } from 'node:crypto'
import { createReadStream, type ReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { AppError } from '../../lib/errors.ts'
import { migrations } from '../schema.ts'
import {
  BackupDamagedError,
  BackupFileError,
  BackupInvalidError,
  BackupTooNewError,
  BackupUnreleasedError,
} from './errors.ts'
import {
  type BackupEnd,
  type BackupHeader,
  type BackupPart,
  backupFormat,
  firstLinePattern,
  type PartEnd,
  unreleasedLinePattern,
} from './format.ts'

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
function createByteSource(stream: Readable, faultOf: (error: Error | null) => Error): ByteSource {
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

export type BackupReader = {
  header: BackupHeader
  /** Each part must be read to its end, which checks it, before the next. */
  parts(): AsyncIterable<ReadPart>
  close(): void
}

export type ReadPart = BackupPart & {
  pieces(): AsyncIterable<Buffer>
  /** Known once all pieces are read. */
  rowCount(): number
}

/** Opens a backup of this or an older version and reads its header. */
export async function openBackup(path: string): Promise<BackupReader> {
  const stream = createReadStream(path)
  try {
    return await readBackup(path, stream)
  } catch (error) {
    stream.destroy()
    throw error
  }
}

// Memory limits of lines and pieces; a written piece is one read of a socket.
const firstLineBytesMax = 64
const lineBytesMax = 1 << 26
const pieceBytesMax = 1 << 26

async function readBackup(path: string, stream: ReadStream): Promise<BackupReader> {
  const gunzip = createGunzip()
  stream.on('error', (error) => gunzip.destroy(error))
  const source = createByteSource(stream.pipe(gunzip), (error) => readFault(path, error))
  const damaged = (detail: string) => new BackupDamagedError({ path, detail })

  async function readJson<value>(what: string): Promise<value> {
    const line = await source.line(lineBytesMax)
    try {
      return JSON.parse(line) as value
    } catch {
      throw damaged(`${what} cannot be read`)
    }
  }

  async function* pieces(name: string, onEnd: (end: PartEnd) => void): AsyncGenerator<Buffer> {
    const hash = createHash('sha256')
    let bytes = 0
    for (;;) {
      const length = (await source.take(4)).readUInt32BE()
      if (length === 0) break
      if (length > pieceBytesMax) throw damaged(`${name} has a piece of ${length} bytes`)
      const piece = await source.take(length)
      hash.update(piece)
      bytes += length
      yield piece
    }
    const end = await readJson<PartEnd>(`the end of ${name}`)
    if (end.bytes !== bytes || end.sha256 !== hash.digest('hex'))
      throw damaged(`${name} is not what was written`)
    onEnd(end)
  }

  async function* parts(): AsyncGenerator<ReadPart> {
    for (let count = 0; ; count += 1) {
      const part = await readJson<BackupPart | BackupEnd>(`part ${count + 1}`)
      if (part.type === 'end') {
        if (part.parts !== count) throw damaged(`${part.parts} parts were written, ${count} read`)
        if ((await source.drain()) > 0) throw damaged('there is more behind its end')
        return
      }
      const name = part.type === 'file' ? part.name : part.table
      let rows: number | null = null
      yield {
        ...part,
        pieces: () => pieces(name, (end) => (rows = end.rows)),
        rowCount: () => rows ?? Number.NaN,
      }
      if (rows === null) throw damaged(`${name} was not read`)
    }
  }

  const firstLine = await source.line(firstLineBytesMax)
  if (unreleasedLinePattern.test(firstLine)) throw new BackupUnreleasedError({ path })
  const [, format] = firstLinePattern.exec(firstLine) ?? []
  if (format === undefined) throw new BackupInvalidError({ path })
  const header = await readJson<BackupHeader>('the header')
  checkVersions(path, Number(format), header)
  return {
    header,
    parts,
    close() {
      gunzip.destroy()
      stream.destroy()
    },
  }
}

function checkVersions(path: string, format: number, header: BackupHeader): void {
  const { version, schema } = header
  const facts = { path, version }
  if (format > backupFormat)
    throw new BackupTooNewError({
      ...facts,
      what: 'backup format',
      found: format,
      known: backupFormat,
    })
  if (schema > migrations.length)
    throw new BackupTooNewError({
      ...facts,
      what: 'schema',
      found: schema,
      known: migrations.length,
    })
}

/** The error for a file that is not a complete gzip stream. */
function readFault(path: string, error: Error | null): AppError {
  if (error instanceof AppError) return error
  const { code = '', message = 'it ends too early' } = (error ?? {}) as NodeJS.ErrnoException
  if (message === 'incorrect header check') return new BackupInvalidError({ path })
  if (code.startsWith('Z_') || error === null) {
    const detail = code === 'Z_BUF_ERROR' ? 'it ends too early' : message
    return new BackupDamagedError({ path, detail, cause: error })
  }
  return new BackupFileError({ path, cause: error })
}
