import { PageFile } from './pageFile.ts'

/**
 * Parts of something large, kept in a file until they are read; parts that cannot be written stay
 * in memory.
 */
export class SpooledParts {
  private readonly openFile: () => PageFile
  private file: PageFile | null = null
  /** Offsets of the parts' starts, and of the last end. */
  private readonly starts = [0]
  private readonly held = new Map<number, Uint8Array>()

  constructor(directory: string, name: string) {
    // Parts have any length, so a page is one byte.
    this.openFile = () => new PageFile(directory, name, 1)
  }

  get count(): number {
    return this.starts.length - 1
  }

  push(part: Uint8Array): void {
    const start = this.starts.at(-1)!
    try {
      this.file ??= this.openFile()
      this.file.write(start, part)
    } catch {
      this.held.set(this.count, part)
    }
    this.starts.push(start + part.length)
  }

  lengthOf(index: number): number {
    return this.starts[index + 1]! - this.starts[index]!
  }

  part(index: number): Uint8Array {
    const held = this.held.get(index)
    if (held !== undefined) return held
    const part = new Uint8Array(this.lengthOf(index))
    this.file!.read(this.starts[index]!, part)
    return part
  }
}
