/**
 * Zeroed doubles for pages that stay. V8 collects the whole heap each time that ordinary buffers have
 * grown by 64 MB: in a large market it marks millions of records and frees nothing. Shared memory, though
 * no other thread gets to see it, is not counted.
 */
export function uncountedDoubles(length: number): Float64Array {
  return new Float64Array(new SharedArrayBuffer(length * Float64Array.BYTES_PER_ELEMENT))
}
