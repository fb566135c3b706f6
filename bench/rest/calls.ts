// Requests of clients as bytes, chosen at random.
import { createRandom } from '../../test/support/random.ts'
import { chainName, commonWords, letters, tokenAddress, zipf } from './market.ts'

export const unlimitedKey = 'ct_bench_unlimited'
export const limitedKey = 'ct_bench_limited'

export type CallName =
  | 'tokenDetail'
  | 'tokenDetailZipf'
  | 'tokenDetailLimited'
  | 'priceBatch'
  | 'priceBatchZipf'
  | 'search'
  | 'trending'
  | 'heavy'

const batchIds = 200
const fixedRequests = 2_000

function get(path: string, key = unlimitedKey): Buffer {
  return Buffer.from(`GET ${path} HTTP/1.1\r\nHost: bench\r\nX-API-KEY: ${key}\r\n\r\n`)
}

function post(path: string, body: string): Buffer {
  const head = `POST ${path} HTTP/1.1\r\nHost: bench\r\nX-API-KEY: ${unlimitedKey}\r\n`
  const length = Buffer.byteLength(body)
  return Buffer.from(
    `${head}Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`,
  )
}

/**
 * A source of requests. Batches are created in advance: creating one costs more than answering it.
 */
export function createCalls(name: CallName, tokenCount: number): () => Buffer {
  const random = createRandom(5)
  const anyToken = () => 2 + Math.floor(random() * (tokenCount - 2))
  const knownToken = () => 2 + zipf(random, tokenCount - 2)
  const idOf = (token: number) => `${tokenAddress(token)}-${chainName}`
  const detail = (token: number, key?: string) => get(`/v2/tokens/${idOf(token)}`, key)
  const batch = (token: () => number) =>
    post(
      '/v2/tokens/price',
      JSON.stringify({
        token_ids: Array.from({ length: batchIds }, () => idOf(token())),
        tvl_min: 0,
      }),
    )
  const someOf = (make: () => Buffer, count = fixedRequests) => {
    const made = Array.from({ length: count }, make)
    let at = 0
    return () => made[at++ % made.length]!
  }
  const keyword = () =>
    random() < 0.5
      ? commonWords[Math.floor(random() * commonWords.length)]!
      : letters(random, 1 + Math.floor(random() * 3))
  const details = () => Array.from({ length: tokenCount }, (_, token) => detail(token))
  switch (name) {
    case 'tokenDetail': {
      const all = details()
      return () => all[anyToken()]!
    }
    case 'tokenDetailZipf': {
      const all = details()
      return () => all[knownToken()]!
    }
    case 'tokenDetailLimited':
      return someOf(() => detail(knownToken(), limitedKey))
    case 'priceBatch':
      return someOf(() => batch(anyToken))
    case 'priceBatchZipf':
      return someOf(() => batch(knownToken))
    case 'search':
      return someOf(() => get(`/v2/tokens?keyword=${keyword()}&limit=50`))
    case 'trending':
      return someOf(() =>
        get(`/v2/tokens/trending?chain=${chainName}&current_page=${Math.floor(random() * 20)}`),
      )
    case 'heavy':
      return someOf(() => heavyCalls(random, () => batch(anyToken), idOf(knownToken()), keyword()))
  }
}

function heavyCalls(
  random: () => number,
  batch: () => Buffer,
  id: string,
  keyword: string,
): Buffer {
  const page = Math.floor(random() * 50)
  const calls = [
    () => get(`/v2/tokens?keyword=${keyword}&limit=300`),
    batch,
    () => get('/v2/tokens/platform?tag=meme&limit=300'),
    () => get(`/v2/tokens/trending?chain=${chainName}&page_size=100&current_page=${page}`),
    () => get('/v2/ranks?topic=gainer&limit=300'),
    () => get('/v2/ranks?topic=meme&limit=300'),
    () => get(`/v2/tokens/holders/${id}`),
    () => get(`/v2/tokens/main?chain=${chainName}`),
  ]
  return calls[Math.floor(random() * calls.length)]!()
}
