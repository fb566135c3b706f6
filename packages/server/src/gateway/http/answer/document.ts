import { createHash } from 'node:crypto'
import { acceptedEncoding, type Encoding, encoded } from './contentEncoding.ts'
import { hasVersion } from './etag.ts'
import type { Content, Exchange } from './exchange.ts'

/** What is sent to many as it is: encoded, compressed and named once. */
export type Document = {
  /** Its media type. */
  type: string
  bytes: Buffer
  encoded: Readonly<Record<Encoding, Buffer>>
  etag: string
}

const tagChars = 22

export async function createDocument(type: string, text: string | Buffer): Promise<Document> {
  const bytes = Buffer.from(text)
  const hash = createHash('sha256').update(bytes).digest('base64url')
  const etag = `"${hash.slice(0, tagChars)}"`
  const [br, gzip] = await Promise.all([encoded(bytes, 'br'), encoded(bytes, 'gzip')])
  return { type, bytes, encoded: { br, gzip }, etag }
}

/** Who has it already is only told so. */
export function documentContent(exchange: Exchange, document: Document): Content {
  const { type, bytes, etag } = document
  const { request } = exchange
  exchange.varyBy('accept-encoding')
  const fields = ['etag', etag]
  if (hasVersion(request, etag)) return { status: 304, fields, bytes: null }
  fields.push('content-type', type)
  const encoding = acceptedEncoding(request.headers['accept-encoding'])
  if (encoding === null) return { status: 200, fields, bytes }
  fields.push('content-encoding', encoding)
  return { status: 200, fields, bytes: document.encoded[encoding] }
}
