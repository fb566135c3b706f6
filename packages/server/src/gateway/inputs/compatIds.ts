import type { GatewayChain } from '../chain/gatewayChain.ts'

/** Pattern of a base58 address of 32 bytes, with letters in any case. */
const base58InAnyCase = /^[0-9A-Za-z]{32,44}$/

/** Suffix that existing clients append to a token's address to mean its launch curve. */
const curveSuffix = '_fo'

/** Kind of market object that an id in a request refers to. */
export type IdKind = 'token' | 'pair' | 'token or pair'

/**
 * Returns the canonical address, or null when the text is not an address of this chain.
 * Compatibility mode also accepts the spellings of existing clients, see docs/reference/compat.md.
 */
export function parseMarketAddress(
  { chain, isCompatible }: { chain: GatewayChain; isCompatible: boolean },
  text: string,
  what: IdKind,
): string | null {
  const compatible = isCompatible ? compatAddress(chain, text, what) : null
  // Accepts every token address too: on every chain, token addresses have the form of pair
  // addresses.
  return compatible ?? (what === 'token' ? chain.ids.token(text) : chain.ids.pair(text))
}

function compatAddress(chain: GatewayChain, text: string, what: IdKind): string | null {
  const token = what === 'pair' ? null : tokenInAnyCase(chain, text)
  return token ?? (what === 'token' ? null : curveOfToken(chain, text))
}

/**
 * Finds a token by its address in any letter case, because some clients lower-case every id. Null
 * unless exactly one token matches.
 */
function tokenInAnyCase({ ids, reads }: GatewayChain, text: string): string | null {
  if (!ids.isCaseSensitive || !base58InAnyCase.test(text)) return null
  if (reads.findToken(text) !== undefined) return text
  const [tokenId, ...others] = reads.findTokensAnyCase(text.toLowerCase())
  return tokenId === undefined || others.length > 0 ? null : reads.tokenRecord(tokenId).address
}

/**
 * True for an address that still ends in `_fo`, by which clients of the compatible interface name
 * the bonding curve of a token: the token has no known curve, and no pair has such an address.
 */
export function isUnknownCurve(address: string): boolean {
  return address.endsWith(curveSuffix)
}

/**
 * Resolves `<token>_fo` to the address of the token's launch curve. Without a curve, the text
 * itself is returned, which matches no pair.
 */
function curveOfToken(chain: GatewayChain, text: string): string | null {
  if (!text.endsWith(curveSuffix)) return null
  const name = text.slice(0, -curveSuffix.length)
  const token = parseMarketAddress({ chain, isCompatible: true }, name, 'token')
  if (token === null) return null
  const { reads } = chain
  const tokenId = reads.findToken(token)
  const launch = tokenId === undefined ? null : reads.launchOf(tokenId)
  return launch === null ? `${token}${curveSuffix}` : reads.pairRecord(launch.curvePairId).address
}
