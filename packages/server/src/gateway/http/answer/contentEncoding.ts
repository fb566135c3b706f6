import { promisify } from 'node:util'
import { brotliCompress, gzip, constants as zlib } from 'node:zlib'

/** Those we have, the one that is preferred first. */
export const encodings = ['br', 'gzip'] as const
export type Encoding = (typeof encodings)[number]

// Above the level of bodies that change with every block a processor second would buy hardly a tenth of the bytes.
const brotliQuality = 4

const compressBrotli = promisify(brotliCompress)
const compressGzip = promisify(gzip)

/** Outside of the loop. */
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
  // Who would rather have it as it is says so.
  return bestWeight < (weights.get('identity') ?? 0) ? null : best
}
