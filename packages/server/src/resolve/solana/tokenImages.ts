import type { Rpc } from '../../chain/rpc/rpc.ts'
import { readAccounts, readMint } from '../../chain/solana/accounts.ts'
import {
  fetchPublic,
  type IsAllowedTarget,
  ipLiteralOf,
  webUrlOf,
} from '../../lib/http/fetchPublic.ts'
import { isPublicAddress } from '../../lib/http/publicAddress.ts'
import { metadataAddressOf, readMetadataUri, readUriExtension } from './mintMetadata.ts'

export type TokenImagesOptions = {
  rpc: Pick<Rpc, 'requestBatch'>
  gateways: UriGateways
  limits?: Partial<ImageLimits> | undefined
  /**
   * Tells whether an address may be fetched, besides the gateways. @default public internet
   * addresses
   */
  isAllowed?: IsAllowedTarget | undefined
}

type ImageLimits = {
  /** Size limit of the JSON behind a token's URI. */
  jsonBytesMax: number
  /** Time limit per token, redirects included. */
  msMax: number
  redirectsMax: number
  /** Number of tokens fetched at once. */
  parallelMax: number
}

const limitsDefault: ImageLimits = {
  // The JSON of a typical token has some hundred bytes.
  jsonBytesMax: 65_536,
  msMax: 5_000,
  redirectsMax: 3,
  parallelMax: 4,
}

/**
 * Returns image URLs of tokens, from the JSON behind each token's URI. Empty if the JSON cannot be
 * fetched or names no image. Tokens that no node answered for are missing.
 */
export async function readTokenImages(
  options: TokenImagesOptions,
  mints: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const { parallelMax } = { ...limitsDefault, ...options.limits }
  const images = new Map<string, string>()
  const uris = await readUris(options, mints, signal).catch(() => [])
  const left = [...uris.entries()]
  const work = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift())
      images.set(mints[next[0]]!, await fetchImageUrl(next[1], options, signal))
  }
  await Promise.all(Array.from({ length: parallelMax }, work))
  return images
}

async function readUris(
  { rpc }: TokenImagesOptions,
  mints: readonly string[],
  signal: AbortSignal,
): Promise<string[]> {
  const accounts = await readAccounts(rpc, [...mints, ...mints.map(metadataAddressOf)], {
    signal,
    isBackground: true,
  })
  return mints.map((_, at) => {
    const [account, metadata] = [accounts[at], accounts[mints.length + at]]
    const mint = account && readMint(account)
    const own = mint && readUriExtension(mint)
    return own || (metadata && readMetadataUri(metadata.data)) || ''
  })
}

async function fetchImageUrl(
  uri: string,
  { gateways, isAllowed, limits }: TokenImagesOptions,
  signal: AbortSignal,
): Promise<string> {
  const { jsonBytesMax: bytesMax, msMax, redirectsMax } = { ...limitsDefault, ...limits }
  const target = fetchTargetOf(uri, gateways)
  if (target === null) return ''
  // A configured gateway may be on the local network, but its redirects may not lead there.
  const ours = target.isConfigured ? new URL(target.url) : null
  const fetched = await fetchPublic(target.url, {
    bytesMax,
    msMax,
    redirectsMax,
    signal,
    isAllowed,
    trusted: ours?.host,
  })
  const image = fetched.ok ? parseImageUrl(fetched.bytes) : null
  return image === null ? '' : (fetchTargetOf(image, gateways)?.url ?? '')
}

/** Parses the `image` field of token JSON; null without one. */
function parseImageUrl(bytes: Buffer): string | null {
  try {
    const { image } = (JSON.parse(bytes.toString()) ?? {}) as { image?: unknown }
    return typeof image === 'string' ? image.trim() : null
  } catch {
    return null
  }
}

/**
 * URL templates of IPFS and Arweave gateways, with `{path}`. Undefined: such URIs are not fetched.
 */
export type UriGateways = { ipfs?: string | undefined; arweave?: string | undefined }

/**
 * A URL to fetch. `isOurs`: the operator configured its host, which may be on a private network.
 */
type FetchTarget = { url: string; isConfigured: boolean }

const charsMax = 2_048
const schemes = /^(ipfs|ar):\/\/(?:ipfs\/)?(.+)$/i
const safePath = /^[\w.~-]+(?:\/[\w.~%+-]+)*$/

/** Translates a token's URI into a URL to fetch; null if it may not be fetched. */
export function fetchTargetOf(uri: string, gateways: UriGateways): FetchTarget | null {
  if (uri.length > charsMax) return null
  const [, scheme, path = ''] = schemes.exec(uri) ?? []
  if (scheme === undefined) return webTarget(uri)
  const template = scheme.toLowerCase() === 'ipfs' ? gateways.ipfs : gateways.arweave
  // The token's creator wrote the path, so it must not escape the gateway's folder.
  const isSafe = safePath.test(path) && path.split('/').every(isName)
  if (template === undefined || !isSafe) return null
  return { url: template.replace('{path}', () => path), isConfigured: true }
}

/**
 * Checks a path segment, decoded once as a gateway does: no separators, control characters, dots
 * only, or nested encoding.
 */
function isName(part: string): boolean {
  try {
    return !/^\.*$|[/\\%\p{Cc}]/u.test(decodeURIComponent(part))
  } catch {
    return false
  }
}

function webTarget(uri: string): FetchTarget | null {
  const url = webUrlOf(uri)
  if (url === null) return null
  const literal = ipLiteralOf(url)
  return literal === null || isPublicAddress(literal)
    ? { url: url.href, isConfigured: false }
    : null
}
