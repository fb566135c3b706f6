/** JSON that is ready to be sent. */
export type Encoded = string | EncodedParts

/** What is put together where it is sent from. */
export type EncodedParts = {
  sizeBytes: number
  write(to: Buffer, at: number): void
  /** A name for its content, the same only where that is. Null: it has none. */
  tag?(): string | null
}

/** Buffers, one behind the other. */
export function encodedBytes(
  buffers: readonly Buffer[],
  tag: () => string | null = () => null,
): EncodedParts {
  let sizeBytes = 0
  for (const { length } of buffers) sizeBytes += length
  return {
    sizeBytes,
    write(to, from) {
      let at = from
      for (const bytes of buffers) {
        to.set(bytes, at)
        at += bytes.length
      }
    },
    tag,
  }
}

export function tagOf(encoded: Encoded): string | null {
  return typeof encoded === 'string' ? null : (encoded.tag?.() ?? null)
}

/** In bytes. */
export function sizeOf(encoded: Encoded): number {
  return typeof encoded === 'string' ? Buffer.byteLength(encoded) : encoded.sizeBytes
}

export function textOf(encoded: Encoded): string {
  if (typeof encoded === 'string') return encoded
  const bytes = Buffer.allocUnsafe(encoded.sizeBytes)
  encoded.write(bytes, 0)
  return bytes.toString()
}

/** Into a buffer that has room there. */
export function writeEncoded(to: Buffer, at: number, encoded: Encoded, sizeBytes: number): void {
  if (typeof encoded === 'string') writeText(to, at, encoded, sizeBytes)
  else encoded.write(to, at)
}

export function writeText(to: Buffer, at: number, text: string, sizeBytes: number): void {
  // As many bytes as characters: all of them are ASCII, where both encodings are the same and this one is quicker.
  if (sizeBytes === text.length) to.write(text, at, sizeBytes, 'latin1')
  else to.write(text, at, sizeBytes, 'utf8')
}
