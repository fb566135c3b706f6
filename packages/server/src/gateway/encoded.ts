/** JSON that is ready to be sent. */
export type Encoded = string | SizedText | EncodedParts

/** A text whose size in UTF-8 is known. */
export type SizedText = { text: string; sizeBytes: number }

/** What is put together where it is sent from. */
export type EncodedParts = { sizeBytes: number; write(to: Buffer): void }

export function sizedText(text: string): SizedText {
  // Counting looks into all of a text of many parts, and makes it one: it is not put together again for every answer.
  return { text, sizeBytes: Buffer.byteLength(text) }
}

export function textOf(encoded: Encoded): string {
  if (typeof encoded === 'string') return encoded
  if ('text' in encoded) return encoded.text
  const bytes = Buffer.allocUnsafe(encoded.sizeBytes)
  encoded.write(bytes)
  return bytes.toString()
}

/** To the beginning of a buffer that has room. */
export function writeEncoded(to: Buffer, encoded: Encoded, sizeBytes: number): void {
  if (typeof encoded === 'string') writeText(to, encoded, sizeBytes)
  else if ('text' in encoded) writeText(to, encoded.text, sizeBytes)
  else encoded.write(to)
}

function writeText(to: Buffer, text: string, sizeBytes: number): void {
  // As many bytes as characters: all of them are ASCII, where both encodings are the same and this one is quicker.
  if (sizeBytes === text.length) to.write(text, 0, sizeBytes, 'latin1')
  else to.write(text, 0, sizeBytes, 'utf8')
}
