/**
 * Zeroed bytes for pages that stay. V8 collects the whole heap each time that ordinary buffers have
 * grown by 64 MB: in a large market it marks millions of records and frees nothing. Shared memory, though
 * no other thread gets to see it, is not counted.
 */
export function uncountedBuffer(byteLength: number): SharedArrayBuffer {
  return new SharedArrayBuffer(byteLength)
}
