import { crc32 } from 'node:zlib'

/** Of bytes that stand behind those of the sum. The engine has it from here: most of what Node has is I/O. */
export function crc32Of(bytes: Uint8Array, sum = 0): number {
  return crc32(bytes, sum)
}
