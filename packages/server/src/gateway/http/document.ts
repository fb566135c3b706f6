import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

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
export function sendDocument(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { type, bytes, gzipped, etag }: Document,
): FastifyReply {
  reply.header('etag', etag).header('vary', 'accept-encoding')
  if (headers['if-none-match']?.split(/\s*,\s*/).some((tag) => tag === etag || tag === `W/${etag}`))
    return reply.code(304).send()
  reply.type(type)
  const isGzipTaken = /(^|[\s,])gzip(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(
    String(headers['accept-encoding'] ?? ''),
  )
  return isGzipTaken ? reply.header('content-encoding', 'gzip').send(gzipped) : reply.send(bytes)
}
