import { strict as assert } from 'node:assert'
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { open } from 'node:fs/promises'

// Whoever reads from one has no moment at which it is over.
const closing = new FinalizationRegistry<number>((descriptor) => closeSync(descriptor))

/** A file that was written whole and changes no more. It may be removed meanwhile: what has it open still reads it. */
export class ImageFile {
  readonly size: number
  private readonly descriptor: number

  constructor(path: string) {
    this.descriptor = openSync(path, 'r')
    closing.register(this, this.descriptor)
    this.size = fstatSync(this.descriptor).size
  }

  /** As much as there is room for. */
  read(at: number, to: Uint8Array): void {
    for (let done = 0; done < to.length; ) {
      const count = readSync(this.descriptor, to, done, to.length - done, at + done)
      assert(count > 0, 'an image has all that it says')
      done += count
    }
  }
}

/** Whole, and on the disk, before it returns. */
export async function writeImage(path: string, parts: Iterable<Uint8Array>): Promise<void> {
  const file = await open(path, 'w', 0o600)
  try {
    for (const part of parts) await file.writeFile(part)
    await file.sync()
  } finally {
    await file.close()
  }
}
