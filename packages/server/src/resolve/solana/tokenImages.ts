import type { Rpc } from '../../chain/rpc/rpc.ts'
import { readMint } from '../../chain/solana/mintAccount.ts'
import { readAccounts } from '../../chain/solana/readAccounts.ts'
import { fetchPublic, type IsAllowedTarget } from '../../lib/http/fetchPublic.ts'
import { metadataAddressOf, readMetadataUri, readUriExtension } from './mintMetadata.ts'
import { fetchTargetOf, type UriGateways } from './tokenUri.ts'

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
