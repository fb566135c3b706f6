import { ipLiteralOf, webUrlOf } from '../../lib/http/fetchPublic.ts'
import { isPublicAddress } from '../../lib/http/publicAddress.ts'

/**
 * URL templates of IPFS and Arweave gateways, with `{path}`. Undefined: such URIs are not fetched.
 */
export type UriGateways = { ipfs?: string | undefined; arweave?: string | undefined }

/**
 * A URL to fetch. `isOurs`: the operator configured its host, which may be on a private network.
 */
export type FetchTarget = { url: string; isConfigured: boolean }

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
