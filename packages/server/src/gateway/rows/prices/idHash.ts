import { randomInt } from 'node:crypto'

const seedMax = 2 ** 31

/** Hashes of ids. They begin where nobody outside knows: nobody can choose ids whose hashes meet. */
export const hashSeed = randomInt(seedMax)

/** The hash with one more byte, or four of them as one number, before its end. */
export function stepOfHash(hash: number, word: number): number {
  return Math.imul(hash ^ word, 0x5bd1e995)
}

/** Brings all bits of a hash down to its lowest. */
export function endOfHash(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  return mixed ^ (mixed >>> 13)
}

/** Bytes of which four can be read at once: the steps of a hash wait for one another. */
export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
}

export function hashOf(bytes: Uint8Array, start: number, end: number): number {
  const view = viewOf(bytes)
  let hash = hashSeed
  let at = start
  for (; at + 4 <= end; at += 4) hash = stepOfHash(hash, view.getInt32(at, true))
  for (; at < end; at += 1) hash = stepOfHash(hash, bytes[at]!)
  return endOfHash(hash)
}
