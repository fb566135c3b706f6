/**
 * Zeroed bytes for long-lived pages. V8 collects the whole heap whenever ordinary buffers have
 * grown by 64 MB: in a large market that marks millions of records and frees nothing. Shared memory
 * is not counted, even if no other thread uses it.
 */
export function gcNeutralBuffer(byteLength: number): SharedArrayBuffer {
  return new SharedArrayBuffer(byteLength)
}

/** Zeroed doubles for long-lived pages. */
export function gcNeutralDoubles(length: number): Float64Array {
  return new Float64Array(gcNeutralBuffer(length * Float64Array.BYTES_PER_ELEMENT))
}
