import { uncountedBuffer } from './uncountedBuffer.ts'

/** Zeroed doubles for long-lived pages. */
export function uncountedDoubles(length: number): Float64Array {
  return new Float64Array(uncountedBuffer(length * Float64Array.BYTES_PER_ELEMENT))
}
