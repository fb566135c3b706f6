import { literalOf, webUrlOf } from '../../lib/http/fetchPublic.ts'
import { isPublicAddress } from '../../lib/http/publicAddress.ts'

/** Where what is on IPFS and Arweave can be had, with `{path}` in it; undefined: nowhere. */
export type UriGateways = { ipfs?: string | undefined; arweave?: string | undefined }

/** `isOurs`: the operator named whom to ask, at whatever address. */
export type UriTarget = { url: string; isOurs: boolean }

const charsMax = 2_048
const schemes = /^(ipfs|ar):\/\/(?:ipfs\/)?(.+)$/i
const safePath = /^[\w.~-]+(?:\/[\w.~%+-]+)*$/

/** Where a token's uri leads; null: nowhere that may be asked. */
export function targetOfUri(uri: string, gateways: UriGateways): UriTarget | null {
  if (uri.length > charsMax) return null
  const [, scheme, path = ''] = schemes.exec(uri) ?? []
  if (scheme === undefined) return webTarget(uri)
  const template = scheme.toLowerCase() === 'ipfs' ? gateways.ipfs : gateways.arweave
  // The token's creator wrote the path: it must not lead out of the gateway's folder.
  const isSafe = safePath.test(path) && path.split('/').every(isName)
  if (template === undefined || !isSafe) return null
  return { url: template.replace('{path}', () => path), isOurs: true }
}

/** Is this part of a path, decoded once as a gateway does, a name: no separator, control, dots, or encoding in it? */
function isName(part: string): boolean {
  try {
    return !/^\.*$|[/\\%\p{Cc}]/u.test(decodeURIComponent(part))
  } catch {
    return false
  }
}

function webTarget(uri: string): UriTarget | null {
  const url = webUrlOf(uri)
  if (url === null) return null
  const literal = literalOf(url)
  return literal === null || isPublicAddress(literal) ? { url: url.href, isOurs: false } : null
}
