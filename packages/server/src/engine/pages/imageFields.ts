import { uncountedBuffer } from '../../lib/uncountedBuffer.ts'
import { SnapshotUnreadableError } from '../errors.ts'

/** Numbers as a field of an image. */
export function imageBytes({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}

export function imageField(fields: ReadonlyMap<string, Uint8Array>, name: string): Uint8Array {
  const bytes = fields.get(name)
  if (bytes === undefined) throw new SnapshotUnreadableError(`The image has no "${name}".`)
  return bytes
}

/** The words of a field, which may start anywhere in its buffer. */
export function wordsOf(fields: ReadonlyMap<string, Uint8Array>, name: string): Uint32Array {
  const field = imageField(fields, name)
  const words = new Uint32Array(field.byteLength / Uint32Array.BYTES_PER_ELEMENT)
  imageBytes(words).set(field)
  return words
}

/** The same words with twice the room, in long-lived memory. */
export function grownWords(words: Uint32Array): Uint32Array {
  const grown = new Uint32Array(uncountedBuffer(words.byteLength * 2))
  grown.set(words)
  return grown
}
