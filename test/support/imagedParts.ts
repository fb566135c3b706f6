import type { ImagePart } from '../../packages/server/src/engine/pages/imagePart.ts'
import { PageBudget } from '../../packages/server/src/engine/pages/pageBudget.ts'
import type { PageFrames } from '../../packages/server/src/engine/pages/pageFrames.ts'
import { PageFile } from '../../packages/server/src/lib/files/pageFile.ts'

/** A page budget that exposes the page frames by name. */
export class ObservedPageBudget extends PageBudget {
  readonly framesOf = new Map<string, PageFrames>()

  override add(name: string, frames: PageFrames): void {
    this.framesOf.set(name, frames)
    super.add(name, frames)
  }

  /** Number of pages evicted from memory. */
  evicted(): number {
    let count = 0
    for (const frames of this.framesOf.values()) count += frames.count - frames.residentCount
    return count
  }
}

export function createSmallBudget(directory: string, residentBytesMax: number): ObservedPageBudget {
  return new ObservedPageBudget({
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
export function copyImage(
  parts: readonly ImagePart[],
  { framesOf }: ObservedPageBudget,
): PartImage[] {
  return parts.map((part) => {
    const frames = framesOf.get(part.name)!
    const pages = Array.from({ length: frames.count }, (_, number) => {
      const page = new Uint8Array(frames.pageBytes)
      frames.copyPage(number, page)
      return page
    })
    const fields = [...part.imageFields()].map(([name, bytes]) => [name, unaligned(bytes)] as const)
    return { fields: new Map(fields), pages }
  })
}

/** Fills parts that are empty. */
export function fillParts(
  parts: readonly ImagePart[],
  { framesOf }: ObservedPageBudget,
  images: readonly PartImage[],
): void {
  for (const [index, { fields, pages }] of images.entries()) {
    const part = parts[index]!
    const frames = framesOf.get(part.name)!
    for (const [number, bytes] of pages.entries()) {
      if (number === frames.count) frames.push()
      const { buffer, byteOffset, byteLength } = frames.page(number)
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
