import { PageFile } from './pageFile.ts'

/** Parts of something large, in a file until they are asked for; what cannot be written is held in memory. */
export class SpooledParts {
  private readonly openFile: () => PageFile
  private file: PageFile | null = null
  /** Where each begins in the file, and the last ends. */
  private readonly starts = [0]
  private readonly held = new Map<number, Uint8Array>()

  constructor(directory: string, name: string) {
    // Parts are of any length: a page is a byte.
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
