import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, gzip, constants as zlib } from 'node:zlib'
import { createRecentMap } from '../../keys/recentMap.ts'

/** Encodings of answers, the preferred one first. */
const encodings = ['br', 'gzip'] as const
export type Encoding = (typeof encodings)[number]

// Above the level of bodies that change with every block a processor second would buy hardly a tenth of the bytes.
const brotliQuality = 4

const compressBrotli = promisify(brotliCompress)
const compressGzip = promisify(gzip)

/** Compresses on another thread. */
export async function encoded(bytes: Buffer, encoding: Encoding): Promise<Buffer> {
  if (encoding === 'gzip') return compressGzip(bytes)
  const params = {
    [zlib.BROTLI_PARAM_QUALITY]: brotliQuality,
    [zlib.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  }
  return compressBrotli(bytes, { params })
}

// A browser names some four encodings.
const acceptCharsMax = 1_024

/**
 * The best encoding of an Accept-Encoding header (RFC 9110, 12.5.3); null: send the body as it is. A header over
 * `acceptCharsMax` characters counts as absent.
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
  // `identity` with a higher weight: the client prefers the body as it is.
  return bestWeight < (weights.get('identity') ?? 0) ? null : best
}

/** Compresses answers. */
export type AnswerEncoder = {
  /** The same answer, compressed before; null: it was not. `key` names the answer and its content. */
  kept(key: string, encoding: Encoding): Buffer | null
  /** Whether one more can be compressed now. If not, an answer is sent as it is. */
  isFree(): boolean
  /** `key` is null for an answer that no other request will have. The bytes must not change until it is done. */
  encode(bytes: Buffer, encoding: Encoding, key: string | null): Promise<Buffer>
}

// The same few threads read files and look up hosts.
const underWayMax = 16
// Tokens and pairs that many ask for between two blocks, some 2 KB each.
const keptMax = 4_096
const keptBytesMax = 8_192

export function createAnswerEncoder(): AnswerEncoder {
  const recent = createRecentMap<Buffer>(keptMax)
  let underWay = 0
  return {
    kept: (key, encoding) => recent.get(`${encoding} ${key}`) ?? null,
    isFree: () => underWay < underWayMax,
    async encode(bytes, encoding, key) {
      underWay += 1
      try {
        const made = await encoded(bytes, encoding)
        if (key !== null && made.length <= keptBytesMax) recent.set(`${encoding} ${key}`, made)
        return made
      } finally {
        underWay -= 1
      }
    },
  }
}

// A browser sends one tag of some 25 characters.
const tagsCharsMax = 1_024

/**
 * Whether the client already has this version of the answer (RFC 9110, 13.1.2). Weak tags count as strong ones. A list over
 * `tagsCharsMax` characters counts as absent.
 */
export function hasVersion({ headers }: IncomingMessage, etag: string): boolean {
  const given = headers['if-none-match']
  if (given === undefined || given.length > tagsCharsMax) return false
  return given.trim() === '*' || given.split(',').some((tag) => strong(tag) === strong(etag))
}

function strong(tag: string): string {
  const text = tag.trim()
  return text.startsWith('W/') ? text.slice(2) : text
}
