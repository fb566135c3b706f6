import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Content, Exchange } from './exchange.ts'

/** What is sent to many as it is: encoded, compressed and named once. */
export type Document = {
  /** Its media type. */
  type: string
  bytes: Buffer
  gzipped: Buffer
  etag: string
}

const compress = promisify(gzip)
const tagChars = 22

export async function createDocument(type: string, text: string | Buffer): Promise<Document> {
  const bytes = Buffer.from(text)
  const hash = createHash('sha256').update(bytes).digest('base64url')
  const etag = `"${hash.slice(0, tagChars)}"`
  return { type, bytes, gzipped: await compress(bytes), etag }
}

/** Who has it already is only told so (RFC 9110, 13.1.2). */
export function documentContent(
  exchange: Exchange,
  { type, bytes, gzipped, etag }: Document,
): Content {
  const { headers } = exchange.request
  exchange.vary = exchange.vary === null ? 'accept-encoding' : `${exchange.vary}, accept-encoding`
  const fields = ['etag', etag]
  if (headers['if-none-match']?.split(/\s*,\s*/).some((tag) => tag === etag || tag === `W/${etag}`))
    return { status: 304, fields, bytes: null }
  fields.push('content-type', type)
  const isGzipTaken = /(^|[\s,])gzip(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(
    String(headers['accept-encoding'] ?? ''),
  )
  if (!isGzipTaken) return { status: 200, fields, bytes }
  fields.push('content-encoding', 'gzip')
  return { status: 200, fields, bytes: gzipped }
}
