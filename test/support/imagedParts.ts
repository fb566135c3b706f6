import type { ImagePart } from '../../packages/server/src/engine/pages/imagePart.ts'
import { MarketMemory } from '../../packages/server/src/engine/pages/marketMemory.ts'
import type { Pages } from '../../packages/server/src/engine/pages/pages.ts'
import { PageFile } from '../../packages/server/src/lib/files/marketFiles.ts'

/** A market's memory that exposes the pages of its tables by name. */
export class ObservedMemory extends MarketMemory {
  readonly pagesOf = new Map<string, Pages>()

  override add(name: string, pages: Pages): void {
    this.pagesOf.set(name, pages)
    super.add(name, pages)
  }

  /** Number of pages evicted from memory. */
  evicted(): number {
    let count = 0
    for (const pages of this.pagesOf.values()) count += pages.count - pages.residentCount
    return count
  }
}

export function createSmallMemory(directory: string, residentBytesMax: number): ObservedMemory {
  return new ObservedMemory({
    residentBytesMax,
    openFile: (name, pageBytes) => new PageFile(directory, name, pageBytes),
    schedule: () => undefined,
    onWriteError(error) {
      throw error
    },
  })
}

type PartImage = { fields: ReadonlyMap<string, Uint8Array>; pages: readonly Uint8Array[] }

/** Copies of the fields and pages of each part. */
export function copyImage(parts: readonly ImagePart[], { pagesOf }: ObservedMemory): PartImage[] {
  return parts.map((part) => {
    const from = pagesOf.get(part.name)!
    const pages = Array.from({ length: from.count }, (_, number) => {
      const page = new Uint8Array(from.pageBytes)
      from.copyPage(number, page)
      return page
    })
    const fields = [...part.imageFields()].map(([name, bytes]) => [name, unaligned(bytes)] as const)
    return { fields: new Map(fields), pages }
  })
}

/** Fills parts that are empty. */
export function fillParts(
  parts: readonly ImagePart[],
  { pagesOf }: ObservedMemory,
  images: readonly PartImage[],
): void {
  for (const [index, { fields, pages }] of images.entries()) {
    const part = parts[index]!
    const to = pagesOf.get(part.name)!
    for (const [number, bytes] of pages.entries()) {
      if (number === to.count) to.push()
      const { buffer, byteOffset, byteLength } = to.page(number)
      new Uint8Array(buffer, byteOffset, byteLength).set(bytes)
    }
    part.fillFromImage(fields)
  }
}

/** Everything as one text: comparing long arrays is slow. */
export function imageText(images: readonly PartImage[]): string {
  return images
    .flatMap(({ fields, pages }) => [...fields.values(), ...pages])
    .map((bytes) => Buffer.from(bytes).toString('base64'))
    .join()
}

/** A copy at an odd offset, where numbers must not be read directly. */
function unaligned(bytes: Uint8Array): Uint8Array {
  const room = new Uint8Array(bytes.length + 1)
  room.set(bytes, 1)
  return room.subarray(1)
}

/** Copies parts that are valid only until the next one is read. */
export function joinChunks(parts: Iterable<Uint8Array>): Buffer {
  return Buffer.concat(Array.from(parts, (part) => Buffer.from(part)))
}
