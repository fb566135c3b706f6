import { SnapshotUnreadableError } from '../errors.ts'
import { ByteReader, ByteWriter } from '../tables/bytes.ts'

/** Where the bytes of an image are. */
export type ImageSource = {
  readonly size: number
  read(at: number, to: Uint8Array): void
}

type Range = { at: number; bytes: number }

/** What an image has, and where. */
export type ImageContents = {
  version: number
  layout: string
  pages: { name: string; at: number; pageBytes: number; count: number }[]
  /** What parts of the market have beside their pages. */
  fields: (Range & { part: string; name: string })[]
  /** All else, as in a snapshot. */
  unpaged: Range
}

// 'CTIM', behind the length of the contents, at the very end: an image that was cut off has no end.
const magic = 0x4d495443
const tailBytes = 8

export function writeContents({ version, layout, pages, fields, unpaged }: ImageContents): Buffer {
  const writer = new ByteWriter()
  const range = ({ at, bytes }: Range) => {
    writer.f64(at)
    writer.f64(bytes)
  }
  writer.u32(version)
  writer.text(layout)
  writer.u32(pages.length)
  for (const { name, at, pageBytes, count } of pages) {
    writer.text(name)
    writer.f64(at)
    writer.u32(pageBytes)
    writer.u32(count)
  }
  writer.u32(fields.length)
  for (const { part, name, ...place } of fields) {
    writer.text(part)
    writer.text(name)
    range(place)
  }
  range(unpaged)
  const contents = Buffer.concat(writer.finish())
  const tail = Buffer.alloc(tailBytes)
  tail.writeUInt32LE(contents.length, 0)
  tail.writeUInt32LE(magic, 4)
  return Buffer.concat([contents, tail])
}

/** Null: it is of another version. */
export function readContents(source: ImageSource, version: number): ImageContents | null {
  const reader = new ByteReader([contentsOf(source)])
  if (reader.u32() !== version) return null
  const listOf = <item>(read: () => item) => Array.from({ length: reader.u32() }, read)
  const range = () => ({ at: reader.f64(), bytes: reader.f64() })
  return {
    version,
    layout: reader.text(),
    pages: listOf(() => ({
      name: reader.text(),
      at: reader.f64(),
      pageBytes: reader.u32(),
      count: reader.u32(),
    })),
    fields: listOf(() => ({ part: reader.text(), name: reader.text(), ...range() })),
    unpaged: range(),
  }
}

function contentsOf(source: ImageSource): Uint8Array {
  const tail = Buffer.alloc(tailBytes)
  if (source.size < tailBytes) throw new SnapshotUnreadableError('The image is cut off.')
  source.read(source.size - tailBytes, tail)
  const length = tail.readUInt32LE(0)
  if (tail.readUInt32LE(4) !== magic || length > source.size - tailBytes)
    throw new SnapshotUnreadableError('The image is cut off.')
  const contents = Buffer.alloc(length)
  source.read(source.size - tailBytes - length, contents)
  return contents
}
