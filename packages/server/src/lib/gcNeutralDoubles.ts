import { gcNeutralBuffer } from './gcNeutralBuffer.ts'

/** Zeroed doubles for long-lived pages. */
export function gcNeutralDoubles(length: number): Float64Array {
  return new Float64Array(gcNeutralBuffer(length * Float64Array.BYTES_PER_ELEMENT))
}
