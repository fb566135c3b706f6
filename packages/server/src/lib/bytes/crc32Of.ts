import { crc32 } from 'node:zlib'

/**
 * CRC-32 of bytes that follow those of `sum`. The engine imports it from here: most of Node is I/O.
 */
export function crc32Of(bytes: Uint8Array, sum = 0): number {
  return crc32(bytes, sum)
}
