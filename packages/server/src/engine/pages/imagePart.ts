import { gcNeutralBuffer } from '../../lib/gcNeutralBuffer.ts'
import { SnapshotUnreadableError } from '../errors.ts'

/**
 * A part of the market that an image stores as it is in memory: its pages, which the market's
 * memory knows by name, and the fields below.
 */
export type ImagePart = {
  /** Name under which the part's pages are registered. */
  readonly name: string
  /** Data of the part that is not in pages, by name; views or copies. */
  imageFields(): ReadonlyMap<string, Uint8Array>
  /** Fills an empty part whose pages exist already. It keeps the bytes. */
  fillFromImage(fields: ReadonlyMap<string, Uint8Array>): void
}

/** Returns the bytes of an array of numbers, to be stored as a field of an image. */
export function imageBytes({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}

export function imageField(fields: ReadonlyMap<string, Uint8Array>, name: string): Uint8Array {
  const bytes = fields.get(name)
  if (bytes === undefined) throw new SnapshotUnreadableError(`The image has no "${name}".`)
  return bytes
}

/** Returns a field of 32-bit words, which may start anywhere in its buffer. */
export function imageWords(fields: ReadonlyMap<string, Uint8Array>, name: string): Uint32Array {
  const field = imageField(fields, name)
  const words = new Uint32Array(field.byteLength / Uint32Array.BYTES_PER_ELEMENT)
  imageBytes(words).set(field)
  return words
}

/** Returns a copy of the words with twice the room, in memory that V8 does not count. */
export function doubledWords(words: Uint32Array): Uint32Array {
  const grown = new Uint32Array(gcNeutralBuffer(words.byteLength * 2))
  grown.set(words)
  return grown
}
