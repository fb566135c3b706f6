import { createWriteStream } from 'node:fs'
import { access, open, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { Readable, type Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { AppError } from '../lib/errors.ts'
import { isAlive } from './postgres/dataDirectory.ts'

/** Readable only by the owner: the file may contain hashes of keys and their usage. */
const fileMode = 0o600

const halfMadeSuffix = '.part-'

export type FileSizes = {
  sizeBytes: number
  /** Uncompressed size. */
  contentBytes: number
}

export type AtomicFileOptions = {
  signal: AbortSignal
  /** Compresses the content. @default none */
  through?: Transform
  /** Errors for a file that cannot be written. */
  faults: {
    exists(path: string): AppError
    failed(path: string, cause: NodeJS.ErrnoException): AppError
    stopped(): AppError
  }
}

/** Writes content to a file that appears once it is complete and safe on the disk. */
export async function writeFileAtomically(
  path: string,
  content: AsyncIterable<Uint8Array>,
  options: AtomicFileOptions,
): Promise<FileSizes> {
  const { faults, signal } = options
  const target = resolve(path)
  const temporary = `${target}${halfMadeSuffix}${process.pid}`
  try {
    if (await isThere(target)) throw faults.exists(path)
    await removeHalfMade(target)
    const sizes = await writeSynced(temporary, content, options)
    await rename(temporary, target)
    await syncDirectory(dirname(target))
    return sizes
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined)
    if (signal.aborted) throw faults.stopped()
    const { syscall } = error as NodeJS.ErrnoException
    const isFiles = syscall !== undefined && fileCalls.has(syscall)
    throw isFiles ? faults.failed(path, error as NodeJS.ErrnoException) : error
  }
}

// Sockets fail in `connect` and `read`: a lost database is not a fault of the file.
const fileCalls = new Set(['open', 'write', 'rename', 'scandir', 'fsync', 'access', 'fstat'])

async function writeSynced(
  path: string,
  content: AsyncIterable<Uint8Array>,
  { signal, through }: AtomicFileOptions,
): Promise<FileSizes> {
  let contentBytes = 0
  async function* counted() {
    for await (const bytes of content) {
      contentBytes += bytes.byteLength
      yield bytes
    }
  }
  const source = Readable.from(counted(), { objectMode: false })
  const sink = createWriteStream(path, { flags: 'wx', mode: fileMode, flush: true })
  if (through === undefined) await pipeline(source, sink, { signal })
  else await pipeline(source, through, sink, { signal })
  return { sizeBytes: sink.bytesWritten, contentBytes }
}

/** Without it a power failure could lose the name. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}

/** Incomplete files of killed writers. */
async function removeHalfMade(target: string): Promise<void> {
  const prefix = `${basename(target)}${halfMadeSuffix}`
  for (const name of await readdir(dirname(target))) {
    if (!name.startsWith(prefix) || isAlive(Number(name.slice(prefix.length)))) continue
    await rm(join(dirname(target), name), { force: true })
  }
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
