import { writeText } from '../../operation/encoded.ts'
import type { ByteRing, RowBytes } from './byteRing.ts'

/** Writes a row that is texts and other rows, one behind the other. */
export function writeRow(ring: ByteRing, parts: readonly (string | RowBytes)[]): RowBytes {
  let sizeBytes = 0
  for (const part of parts) sizeBytes += sizeOf(part)
  const row = ring.reserve(sizeBytes)
  let { at } = row
  for (const part of parts) {
    const partBytes = sizeOf(part)
    if (typeof part === 'string') writeText(row.buffer, at, part, partBytes)
    else part.write(row.buffer, at)
    at += partBytes
  }
  return row
}

function sizeOf(part: string | RowBytes): number {
  return typeof part === 'string' ? Buffer.byteLength(part) : part.sizeBytes
}

export function writeTextRow(ring: ByteRing, text: string): RowBytes {
  const sizeBytes = Buffer.byteLength(text)
  const row = ring.reserve(sizeBytes)
  writeText(row.buffer, row.at, text, sizeBytes)
  return row
}
