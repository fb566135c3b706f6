import type { Rpc } from '../../chain/rpc/rpc.ts'
import { readMint } from '../../chain/solana/mintAccount.ts'
import { readAccounts } from '../../chain/solana/readAccounts.ts'
import { fetchPublic, type IsAllowedTarget } from '../../lib/http/fetchPublic.ts'
import { metadataAddressOf } from './metadataAddress.ts'
import { readMetadataUri, readUriExtension } from './mintTexts.ts'
import { targetOfUri, type UriGateways } from './tokenUri.ts'

export type TokenImagesOptions = {
  rpc: Pick<Rpc, 'requestBatch'>
  gateways: UriGateways
  limits?: Partial<ImageLimits> | undefined
  /** Addresses that may be asked beside the gateways. @default those of the internet */
  isAllowed?: IsAllowedTarget | undefined
}

export type ImageLimits = {
  /** Of the JSON behind a token's uri. */
  jsonBytesMax: number
  /** For one token, redirects included. */
  msMax: number
  redirectsMax: number
  /** Tokens whose JSON is asked for at once. */
  parallelMax: number
}

const limitsDefault: ImageLimits = {
  // What is written for a token is some hundred bytes.
  jsonBytesMax: 65_536,
  msMax: 5_000,
  redirectsMax: 3,
  parallelMax: 4,
}

/**
 * Where the images of tokens are, as the JSON behind their uris says; empty: it says none, or cannot be had. What no node tells
 * of is not in it.
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
      images.set(mints[next[0]]!, await imageOf(next[1], options, signal))
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

async function imageOf(
  uri: string,
  { gateways, isAllowed, limits }: TokenImagesOptions,
  signal: AbortSignal,
): Promise<string> {
  const { jsonBytesMax: bytesMax, msMax, redirectsMax } = { ...limitsDefault, ...limits }
  const target = targetOfUri(uri, gateways)
  if (target === null) return ''
  // A gateway may be next to us; where it redirects to may not.
  const ours = target.isOurs ? new URL(target.url) : null
  const fetched = await fetchPublic(target.url, {
    bytesMax,
    msMax,
    redirectsMax,
    signal,
    isAllowed,
    trusted: ours?.host,
  })
  const image = fetched.ok ? imageIn(fetched.bytes) : null
  return image === null ? '' : (targetOfUri(image, gateways)?.url ?? '')
}

/** Null: it is no JSON that says where an image is. */
function imageIn(bytes: Buffer): string | null {
  try {
    const { image } = (JSON.parse(bytes.toString()) ?? {}) as { image?: unknown }
    return typeof image === 'string' ? image.trim() : null
  } catch {
    return null
  }
}
