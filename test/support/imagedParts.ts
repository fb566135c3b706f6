import type { Imaged } from '../../packages/server/src/engine/pages/imaged.ts'
import { PageBudget } from '../../packages/server/src/engine/pages/pageBudget.ts'
import type { PageFrames } from '../../packages/server/src/engine/pages/pageFrames.ts'
import { PageFile } from '../../packages/server/src/lib/files/pageFile.ts'

/** Tells the pages of its members, and may have next to no memory for them. */
export class WatchedBudget extends PageBudget {
  readonly framesOf = new Map<string, PageFrames>()

  override add(name: string, frames: PageFrames): void {
    this.framesOf.set(name, frames)
    super.add(name, frames)
  }

  /** Pages that are in no memory. */
  evicted(): number {
    let count = 0
    for (const frames of this.framesOf.values()) count += frames.count - frames.resident
    return count
  }
}

export function scarceBudget(directory: string, residentBytesMax: number): WatchedBudget {
  return new WatchedBudget({
    residentBytesMax,
    openFile: (name, pageBytes) => new PageFile(directory, name, pageBytes),
    later: () => undefined,
    onFault(error) {
      throw error
    },
  })
}

type PartImage = { fields: ReadonlyMap<string, Uint8Array>; pages: readonly Uint8Array[] }

/** Of each part, copied. */
export function imageOf(parts: readonly Imaged[], { framesOf }: WatchedBudget): PartImage[] {
  return parts.map((part) => {
    const frames = framesOf.get(part.name)!
    const pages = Array.from({ length: frames.count }, (_, number) => {
      const page = new Uint8Array(frames.pageBytes)
      frames.copy(number, page)
      return page
    })
    const fields = [...part.imageFields()].map(([name, bytes]) => [name, unaligned(bytes)] as const)
    return { fields: new Map(fields), pages }
  })
}

/** Of parts that are empty. */
export function fillParts(
  parts: readonly Imaged[],
  { framesOf }: WatchedBudget,
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
    part.fillFrom(fields)
  }
}

/** All of it as one text: long arrays take long to compare. */
export function imageText(images: readonly PartImage[]): string {
  return images
    .flatMap(({ fields, pages }) => [...fields.values(), ...pages])
    .map((bytes) => Buffer.from(bytes).toString('base64'))
    .join()
}

/** A copy that begins where no number could. */
function unaligned(bytes: Uint8Array): Uint8Array {
  const room = new Uint8Array(bytes.length + 1)
  room.set(bytes, 1)
  return room.subarray(1)
}

/** Of an image whose parts are good until the next is asked for. */
export function joined(parts: Iterable<Uint8Array>): Buffer {
  return Buffer.concat(Array.from(parts, (part) => Buffer.from(part)))
}
