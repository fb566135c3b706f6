import { strict as assert } from 'node:assert'
import { closeSync, mkdirSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { threadId } from 'node:worker_threads'

let opened = 0
// Whoever lets go of a market has no moment at which it is over.
const closing = new FinalizationRegistry<number>((descriptor) => closeSync(descriptor))

/**
 * Pages of bytes in a file that only this thread knows: it has no name any more once it is open, and is gone with the process, however
 * that ends. Reads and writes wait for the file; nearly all of them are to memory of the operating system.
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

  /** As much as there is room for. */
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
