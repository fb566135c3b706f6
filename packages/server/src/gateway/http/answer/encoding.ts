import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, gzip, constants as zlib } from 'node:zlib'
import { createLruMap } from '../../ground/lruMap.ts'

/** Content encodings of answers, preferred first. */
const encodings = ['br', 'gzip'] as const
export type Encoding = (typeof encodings)[number]

// Higher levels save hardly a tenth as many bytes per second of CPU, and these bodies change with
// every block.
const brotliQuality = 4

const compressBrotli = promisify(brotliCompress)
const compressGzip = promisify(gzip)

/** Compresses bytes in libuv's thread pool. */
export async function compressBytes(bytes: Buffer, encoding: Encoding): Promise<Buffer> {
  if (encoding === 'gzip') return compressGzip(bytes)
  const params = {
    [zlib.BROTLI_PARAM_QUALITY]: brotliQuality,
    [zlib.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  }
  return compressBrotli(bytes, { params })
}

// Length limit of an Accept-Encoding header. A browser names about four encodings.
const acceptCharsMax = 1_024

/**
 * Returns the best encoding of an Accept-Encoding header (RFC 9110, 12.5.3), or null to send the
 * body uncompressed. A header over `acceptCharsMax` characters counts as absent.
 */
export function acceptedEncoding(accept: string | undefined): Encoding | null {
  if (accept === undefined || accept === '' || accept.length > acceptCharsMax) return null
  const weights = new Map<string, number>()
  for (const part of accept.toLowerCase().split(',')) {
    const [name = '', ...params] = part.split(';').map((each) => each.trim())
    const weight = params.find((param) => param.startsWith('q='))
    weights.set(name, weight === undefined ? 1 : Number(weight.slice(2)) || 0)
  }
  let best: Encoding | null = null
  let bestWeight = 0
  for (const encoding of encodings) {
    const weight = weights.get(encoding) ?? weights.get('*') ?? 0
    if (weight > bestWeight) {
      best = encoding
      bestWeight = weight
    }
  }
  // A higher weight of `identity` means that the client prefers the body uncompressed.
  return bestWeight < (weights.get('identity') ?? 0) ? null : best
}

/** Compresses answers, and caches small compressed answers. */
export type AnswerCompressor = {
  /** Returns the cached compressed answer, or null. `key` names the answer and its content. */
  cached(key: string, encoding: Encoding): Buffer | null
  /**
   * Returns whether another answer may be compressed now. If not, the answer is sent uncompressed.
   */
  canCompress(): boolean
  /**
   * Compresses an answer. `key` is null if no other request gets the same answer. The bytes must
   * not change until the promise settles.
   */
  compress(bytes: Buffer, encoding: Encoding, key: string | null): Promise<Buffer>
}

// Compressions at a time. Files are read and host names resolved in the same few threads.
const compressionsMax = 16
// Cached answers: tokens and pairs that many clients request between two blocks, about 2 KB each.
const cachedMax = 4_096
const cachedBytesMax = 8_192

export function createAnswerCompressor(): AnswerCompressor {
  const recent = createLruMap<Buffer>(cachedMax)
  let underWay = 0
  return {
    cached: (key, encoding) => recent.get(`${encoding} ${key}`) ?? null,
    canCompress: () => underWay < compressionsMax,
    async compress(bytes, encoding, key) {
      underWay += 1
      try {
        const made = await compressBytes(bytes, encoding)
        if (key !== null && made.length <= cachedBytesMax) recent.set(`${encoding} ${key}`, made)
        return made
      } finally {
        underWay -= 1
      }
    },
  }
}

// Length limit of an If-None-Match header. A browser sends one ETag of about 25 characters.
const tagsCharsMax = 1_024

/**
 * Returns whether the client already has this version of an answer (RFC 9110, 13.1.2). Weak ETags
 * count as strong. A header over `tagsCharsMax` characters counts as absent.
 */
export function hasMatchingEtag({ headers }: IncomingMessage, etag: string): boolean {
  const given = headers['if-none-match']
  if (given === undefined || given.length > tagsCharsMax) return false
  return (
    given.trim() === '*' ||
    given.split(',').some((tag) => withoutWeakMark(tag) === withoutWeakMark(etag))
  )
}

function withoutWeakMark(tag: string): string {
  const text = tag.trim()
  return text.startsWith('W/') ? text.slice(2) : text
}
