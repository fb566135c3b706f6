import { createWriteStream } from 'node:fs'
import { access, open, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { Readable, type Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { AppError } from '../lib/errors.ts'
import { isAlive } from './postgres/dataDirectory.ts'

/** Only the owner of the service: hashes of keys and what they used may be in it. */
const fileMode = 0o600

const halfMadeSuffix = '.part-'

export type FileSizes = {
  sizeBytes: number
  /** Before it was compressed. */
  contentBytes: number
}

export type WholeFileOptions = {
  signal: AbortSignal
  /** Compresses what is written. @default nothing */
  through?: Transform
  /** What is said of it when it is not written. */
  faults: {
    exists(path: string): AppError
    failed(path: string, cause: NodeJS.ErrnoException): AppError
    stopped(): AppError
  }
}

/** Writes content into a file that is there when it is whole and safe on the disk, and not before. */
export async function writeWholeFile(
  path: string,
  content: AsyncIterable<Uint8Array>,
  options: WholeFileOptions,
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

// Of sockets there are `connect` and `read`; a database that is lost is no fault of the file.
const fileCalls = new Set(['open', 'write', 'rename', 'scandir', 'fsync', 'access', 'fstat'])

async function writeSynced(
  path: string,
  content: AsyncIterable<Uint8Array>,
  { signal, through }: WholeFileOptions,
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

/** Without it a power cut could forget the name. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}

/** What writers of this file left that were killed. */
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
