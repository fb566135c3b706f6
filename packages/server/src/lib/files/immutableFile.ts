import { strict as assert } from 'node:assert'
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { open } from 'node:fs/promises'

// A reader has no defined end, so the garbage collector closes the file.
const closing = new FinalizationRegistry<number>((descriptor) => closeSync(descriptor))

/**
 * A file that was written whole and never changes. It may be removed meanwhile: open readers still
 * read it.
 */
export class ImmutableFile {
  readonly size: number
  private readonly descriptor: number

  constructor(path: string) {
    this.descriptor = openSync(path, 'r')
    closing.register(this, this.descriptor)
    this.size = fstatSync(this.descriptor).size
  }

  /** Fills `to`. */
  read(at: number, to: Uint8Array): void {
    for (let done = 0; done < to.length; ) {
      const count = readSync(this.descriptor, to, done, to.length - done, at + done)
      assert(count > 0, 'an image has all that it says')
      done += count
    }
  }
}

/** Returns once the file is whole and on the disk. */
export async function writeImmutableFile(path: string, parts: Iterable<Uint8Array>): Promise<void> {
  const file = await open(path, 'w', 0o600)
  try {
    for (const part of parts) await file.writeFile(part)
    await file.sync()
  } finally {
    await file.close()
  }
}
