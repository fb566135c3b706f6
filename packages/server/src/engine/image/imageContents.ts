import { ByteReader } from '../../lib/bytes/byteReader.ts'
import { ByteWriter } from '../../lib/bytes/byteWriter.ts'
import { crc32Of } from '../../lib/bytes/crc32Of.ts'
import { ImageDamagedError, SnapshotUnreadableError } from '../errors.ts'

/** Source of an image's bytes, such as a file. */
export type ImageSource = {
  /** Name of the image in error messages. */
  readonly name: string
  readonly size: number
  read(at: number, to: Uint8Array): void
  /** Called before a damage error is thrown, so that no later start uses this image again. */
  onDamaged(error: ImageDamagedError): void
}

/** A range of bytes in an image, with its CRC-32. */
export type ChecksummedRange = { at: number; bytes: number; sum: number }

/** Table of contents of an image: its parts and their positions. */
export type ImageContents = {
  version: number
  layout: string
  pages: {
    name: string
    at: number
    pageBytes: number
    count: number
    /** Position of the CRC-32 of each page. */
    checksums: ChecksummedRange
  }[]
  /** Fields of the market's parts that are not in pages. */
  fields: (ChecksummedRange & { part: string; name: string })[]
  /** All other data, in the format of a snapshot. */
  unpaged: ChecksummedRange
}

/** Reads bytes of an image. Throws if their checksum differs from what was written. */
export function readChecked(
  source: ImageSource,
  { at, to, sum, what }: { at: number; to: Uint8Array; sum: number; what: string },
): void {
  try {
    source.read(at, to)
  } catch (cause) {
    throw damageError(source, { what, at, cause })
  }
  if (crc32Of(to) !== sum) throw damageError(source, { what, at })
}

function damageError(
  source: ImageSource,
  facts: { what: string; at: number; cause?: unknown },
): ImageDamagedError {
  const error = new ImageDamagedError({ file: source.name, ...facts })
  source.onDamaged(error)
  return error
}

// The bytes 'CTIM' at the very end of the file, after the length of the contents: a truncated image
// lacks them.
const magic = 0x4d495443
const tailBytes = 8
const sumBytes = 4

export function writeContents({ version, layout, pages, fields, unpaged }: ImageContents): Buffer {
  const writer = new ByteWriter()
  const range = ({ at, bytes, sum }: ChecksummedRange) => {
    writer.whole(at)
    writer.whole(bytes)
    writer.whole(sum)
  }
  writer.u32(version)
  writer.text(layout)
  writer.list(pages, ({ name, at, pageBytes, count, checksums }) => {
    writer.text(name)
    writer.whole(at)
    writer.whole(pageBytes)
    writer.whole(count)
    range(checksums)
  })
  writer.list(fields, ({ part, name, ...place }) => {
    writer.text(part)
    writer.text(name)
    range(place)
  })
  range(unpaged)
  const contents = writer.written()
  const tail = Buffer.alloc(sumBytes + tailBytes)
  tail.writeUInt32LE(crc32Of(contents), 0)
  tail.writeUInt32LE(contents.length + sumBytes, sumBytes)
  tail.writeUInt32LE(magic, sumBytes + 4)
  return Buffer.concat([contents, tail])
}

/** Reads the table of contents; null if the image has another version. */
export function readContents(source: ImageSource, version: number): ImageContents | null {
  const { at, contents } = contentsOf(source)
  // Only the version number is at a fixed position; the rest differs between versions.
  if (contents.length < sumBytes || contents.readUInt32LE(0) !== version) return null
  const end = contents.length - sumBytes
  if (crc32Of(contents.subarray(0, end)) !== contents.readUInt32LE(end))
    throw damageError(source, { what: 'its contents', at })
  const reader = new ByteReader({ corrupt: (what) => damageError(source, { what, at }) })
  reader.open(contents, 0, end)
  const range = () => ({ at: reader.whole(), bytes: reader.whole(), sum: reader.whole() })
  return {
    version: reader.u32(),
    layout: reader.text(),
    pages: reader.list(() => ({
      name: reader.text(),
      at: reader.whole(),
      pageBytes: reader.whole(),
      count: reader.whole(),
      checksums: range(),
    })),
    fields: reader.list(() => ({ part: reader.text(), name: reader.text(), ...range() })),
    unpaged: range(),
  }
}

/** Reads the table of contents with its checksum, and returns where it starts. */
function contentsOf(source: ImageSource): { at: number; contents: Buffer } {
  const tail = Buffer.alloc(tailBytes)
  if (source.size < tailBytes) throw new SnapshotUnreadableError('The image is truncated.')
  source.read(source.size - tailBytes, tail)
  const length = tail.readUInt32LE(0)
  if (tail.readUInt32LE(4) !== magic || length > source.size - tailBytes)
    throw new SnapshotUnreadableError('The image is truncated.')
  const contents = Buffer.alloc(length)
  const at = source.size - tailBytes - length
  source.read(at, contents)
  return { at, contents }
}
