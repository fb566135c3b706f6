// Files of a market. All reads are synchronous, and nearly all of them only reach the system's page
// cache.
import { strict as assert } from 'node:assert'
import { closeSync, fstatSync, mkdirSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { threadId } from 'node:worker_threads'

let opened = 0
// A market has no defined end, so the garbage collector closes its files.
const closing = new FinalizationRegistry<number>((descriptor) => closeSync(descriptor))

/** Fills `to`. */
function readFully(descriptor: number, at: number, to: Uint8Array): void {
  for (let done = 0; done < to.length; ) {
    const count = readSync(descriptor, to, done, to.length - done, at + done)
    assert(count > 0, 'the file has all that was written')
    done += count
  }
}

/**
 * Pages of bytes in a file of this thread only: it is unlinked once open, and disappears with the
 * process however that ends.
 */
export class PageFile {
  readonly #descriptor: number
  readonly #pageBytes: number

  constructor(directory: string, name: string, pageBytes: number) {
    opened += 1
    mkdirSync(directory, { recursive: true })
    const path = join(directory, `${name}-${process.pid}-${threadId}-${opened}.pages`)
    this.#descriptor = openSync(path, 'wx+', 0o600)
    unlinkSync(path)
    this.#pageBytes = pageBytes
    closing.register(this, this.#descriptor)
  }

  /** Fills `to`. */
  read(page: number, to: Uint8Array): void {
    readFully(this.#descriptor, page * this.#pageBytes, to)
  }

  write(page: number, from: Uint8Array): void {
    for (let done = 0; done < from.length; ) {
      const at = page * this.#pageBytes + done
      done += writeSync(this.#descriptor, from, done, from.length - done, at)
    }
  }
}

/**
 * Parts of a snapshot that is too large for memory, in a file of this thread. Parts that cannot be
 * written stay in memory.
 */
export class SnapshotFile {
  readonly #openFile: () => PageFile
  #file: PageFile | null = null
  /** Offsets of the parts' starts, and of the last end. */
  readonly #starts = [0]
  readonly #held = new Map<number, Uint8Array>()

  constructor(directory: string, name: string) {
    // Parts have any length, so a page is one byte.
    this.#openFile = () => new PageFile(directory, name, 1)
  }

  get count(): number {
    return this.#starts.length - 1
  }

  push(part: Uint8Array): void {
    const start = this.#starts.at(-1)!
    try {
      this.#file ??= this.#openFile()
      this.#file.write(start, part)
    } catch {
      this.#held.set(this.count, part)
    }
    this.#starts.push(start + part.length)
  }

  lengthOf(index: number): number {
    return this.#starts[index + 1]! - this.#starts[index]!
  }

  part(index: number): Uint8Array {
    const held = this.#held.get(index)
    if (held !== undefined) return held
    const part = new Uint8Array(this.lengthOf(index))
    this.#file!.read(this.#starts[index]!, part)
    return part
  }
}

/** The file of an image, which never changes. Open readers still read it once it is removed. */
export class ImageFile {
  readonly size: number
  readonly #descriptor: number

  constructor(path: string) {
    this.#descriptor = openSync(path, 'r')
    closing.register(this, this.#descriptor)
    this.size = fstatSync(this.#descriptor).size
  }

  /** Fills `to`. */
  read(at: number, to: Uint8Array): void {
    readFully(this.#descriptor, at, to)
  }
}

/** Returns once the file is whole and on the disk. */
export async function writeImageFile(path: string, parts: Iterable<Uint8Array>): Promise<void> {
  const file = await open(path, 'w', 0o600)
  try {
    for (const part of parts) await file.writeFile(part)
    await file.sync()
  } finally {
    await file.close()
  }
}
