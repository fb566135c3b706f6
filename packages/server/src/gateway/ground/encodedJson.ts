/** JSON that is ready to send: text, or parts that write themselves into a buffer. */
export type EncodedJson = string | JsonWriter

/** JSON that is written directly into the response buffer. */
export type JsonWriter = {
  sizeBytes: number
  write(to: Buffer, at: number): void
  /** Returns an ETag value: equal tags mean equal content. Null: no tag. */
  etag?(): string | null
}

/** Concatenates several buffers, which are written without an intermediate copy. */
export function joinBuffers(
  buffers: readonly Buffer[],
  etag: () => string | null = () => null,
): JsonWriter {
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
    etag,
  }
}

export function etagOf(encoded: EncodedJson): string | null {
  return typeof encoded === 'string' ? null : (encoded.etag?.() ?? null)
}

/** Returns the size of encoded JSON in bytes. */
export function encodedSizeBytes(encoded: EncodedJson): number {
  return typeof encoded === 'string' ? Buffer.byteLength(encoded) : encoded.sizeBytes
}

export function encodedText(encoded: EncodedJson): string {
  if (typeof encoded === 'string') return encoded
  const bytes = Buffer.allocUnsafe(encoded.sizeBytes)
  encoded.write(bytes, 0)
  return bytes.toString()
}

/** Writes encoded JSON into a buffer at `at`. The buffer must have `sizeBytes` bytes left there. */
export function writeEncoded(
  to: Buffer,
  at: number,
  encoded: EncodedJson,
  sizeBytes: number,
): void {
  if (typeof encoded === 'string') writeText(to, at, encoded, sizeBytes)
  else encoded.write(to, at)
}

export function writeText(to: Buffer, at: number, text: string, sizeBytes: number): void {
  // Equal byte and character counts mean pure ASCII. For ASCII, latin1 writes the same bytes as
  // UTF-8, faster.
  if (sizeBytes === text.length) to.write(text, at, sizeBytes, 'latin1')
  else to.write(text, at, sizeBytes, 'utf8')
}
