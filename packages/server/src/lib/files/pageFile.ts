import { strict as assert } from 'node:assert'
import { closeSync, mkdirSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { threadId } from 'node:worker_threads'

let opened = 0
// A market has no defined end, so the garbage collector closes the file.
const closing = new FinalizationRegistry<number>((descriptor) => closeSync(descriptor))

/**
 * Pages of bytes in a file of this thread only: it is unlinked once open, and disappears with the
 * process however that ends. Reads and writes are synchronous; nearly all of them only reach the
 * system's page cache.
 */
export class PageFile {
  private readonly descriptor: number
  private readonly pageBytes: number

  constructor(directory: string, name: string, pageBytes: number) {
    opened += 1
    mkdirSync(directory, { recursive: true })
    const path = join(directory, `${name}-${process.pid}-${threadId}-${opened}.pages`)
    this.descriptor = openSync(path, 'wx+', 0o600)
    unlinkSync(path)
    this.pageBytes = pageBytes
    closing.register(this, this.descriptor)
  }

  /** Fills `to`. */
  read(page: number, to: Uint8Array): void {
    for (let done = 0; done < to.length; ) {
      const at = page * this.pageBytes + done
      const count = readSync(this.descriptor, to, done, to.length - done, at)
      assert(count > 0, 'a page is read after it was written')
      done += count
    }
  }

  write(page: number, from: Uint8Array): void {
    for (let done = 0; done < from.length; ) {
      const at = page * this.pageBytes + done
      done += writeSync(this.descriptor, from, done, from.length - done, at)
    }
  }
}
