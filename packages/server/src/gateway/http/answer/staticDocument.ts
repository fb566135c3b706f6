import { createHash } from 'node:crypto'
import { acceptedEncoding, compressBytes, type Encoding, hasMatchingEtag } from './encoding.ts'
import type { Exchange, RawAnswer } from './exchange.ts'

/**
 * A text served unchanged to many clients. It is hashed on its first request, and compressed once
 * per encoding, on the first request for that encoding.
 */
export type StaticDocument = {
  /** Media type of the text. */
  type: string
  bytes: Buffer
  encoded(encoding: Encoding): Promise<Buffer>
  etag: string
}

const tagChars = 22

export function createStaticDocument(type: string, text: string | Buffer): StaticDocument {
  const bytes = Buffer.from(text)
  let etag: string | null = null
  const made = new Map<Encoding, Promise<Buffer>>()
  return {
    type,
    bytes,
    get etag() {
      etag ??= etagOf(bytes)
      return etag
    },
    encoded(encoding) {
      const known = made.get(encoding)
      if (known !== undefined) return known
      const making = compressBytes(bytes, encoding)
      made.set(encoding, making)
      // A failed compression is not cached.
      making.catch(() => made.delete(encoding))
      return making
    },
  }
}

function etagOf(bytes: Buffer): string {
  const hash = createHash('sha256').update(bytes).digest('base64url')
  return `"${hash.slice(0, tagChars)}"`
}

/**
 * Returns the document, compressed if the client accepts that, or a 304 if the client's ETag
 * matches.
 */
export async function documentAnswer(
  exchange: Exchange,
  document: StaticDocument,
): Promise<RawAnswer> {
  const { type, bytes, etag } = document
  const { request } = exchange
  exchange.varyBy('accept-encoding')
  const fields = ['etag', etag]
  if (hasMatchingEtag(request, etag)) return { status: 304, fields, bytes: null }
  fields.push('content-type', type)
  const encoding = acceptedEncoding(request.headers['accept-encoding'])
  if (encoding === null) return { status: 200, fields, bytes }
  fields.push('content-encoding', encoding)
  return { status: 200, fields, bytes: await document.encoded(encoding) }
}
