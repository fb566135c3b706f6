import { PageFile } from './pageFile.ts'

/** Parts of something large, in a file until they are asked for. */
export class SpooledParts {
  private readonly file: PageFile
  private readonly lengths: number[] = []

  constructor(directory: string, name: string, partBytesMax: number) {
    this.file = new PageFile(directory, name, partBytesMax)
  }

  get count(): number {
    return this.lengths.length
  }

  push(part: Uint8Array): void {
    this.file.write(this.lengths.length, part)
    this.lengths.push(part.length)
  }

  lengthOf(index: number): number {
    return this.lengths[index]!
  }

  part(index: number): Uint8Array {
    const part = new Uint8Array(this.lengthOf(index))
    this.file.read(index, part)
    return part
  }
}
