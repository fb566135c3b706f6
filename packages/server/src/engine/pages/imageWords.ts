import assert from 'node:assert'
import { uncountedBuffer } from '../../lib/uncountedBuffer.ts'

/** Words as a field of an image. */
export function fieldOf({ buffer, byteOffset, byteLength }: Uint32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}

/** The words of a field, which may begin anywhere in its buffer. */
export function wordsOf(fields: ReadonlyMap<string, Uint8Array>, name: string): Uint32Array {
  const field = fields.get(name)
  assert(field !== undefined, `an image has "${name}"`)
  const words = new Uint32Array(field.byteLength / Uint32Array.BYTES_PER_ELEMENT)
  fieldOf(words).set(field)
  return words
}

/** The same words with as much room again, in memory of the kind that stays. */
export function grownWords(words: Uint32Array): Uint32Array {
  const grown = new Uint32Array(uncountedBuffer(words.byteLength * 2))
  grown.set(words)
  return grown
}
