import type { GatewayChain } from '../gatewayChain.ts'

/** Base58 in any case, as long as an address of 32 bytes may be. */
const base58InAnyCase = /^[0-9A-Za-z]{32,44}$/

/** The suffix that existing clients put behind a token's address for its launch curve. */
const curveSuffix = '_fo'

/** The kinds of things that ids name. */
export type Named = 'token' | 'pair' | 'token or pair'

/**
 * The address in canonical text; null: it is not one of this chain. Compatibility mode also takes what existing clients of the
 * public service write.
 */
export function marketAddress(
  { chain, isCompatible }: { chain: GatewayChain; isCompatible: boolean },
  text: string,
  what: Named,
): string | null {
  const compatible = isCompatible ? compatAddress(chain, text, what) : null
  // Every token address has the form of a pair's.
  return compatible ?? (what === 'token' ? chain.ids.token(text) : chain.ids.pair(text))
}

function compatAddress(chain: GatewayChain, text: string, what: Named): string | null {
  const token = what === 'pair' ? null : tokenInAnyCase(chain, text)
  return token ?? (what === 'token' ? null : curveOfToken(chain, text))
}

/** Some clients lower-case every id. Null unless exactly one token fits. */
function tokenInAnyCase({ ids, reads }: GatewayChain, text: string): string | null {
  if (!ids.isCaseSensitive || !base58InAnyCase.test(text)) return null
  if (reads.findToken(text) !== undefined) return text
  const [tokenId, ...others] = reads.findTokensAnyCase(text.toLowerCase())
  return tokenId === undefined || others.length > 0 ? null : reads.tokenRecord(tokenId).address
}

/** Is this the text that `marketAddress` leaves of a token without a known curve? No pair has it. */
export function isMissingCurve(address: string): boolean {
  return address.endsWith(curveSuffix)
}

/** `<token>_fo` is the curve the token was launched on. A token without a curve keeps the text, which no pair has. */
function curveOfToken(chain: GatewayChain, text: string): string | null {
  if (!text.endsWith(curveSuffix)) return null
  const name = text.slice(0, -curveSuffix.length)
  const token = marketAddress({ chain, isCompatible: true }, name, 'token')
  if (token === null) return null
  const { reads } = chain
  const tokenId = reads.findToken(token)
  const launch = tokenId === undefined ? null : reads.launchOf(tokenId)
  return launch === null ? `${token}${curveSuffix}` : reads.pairRecord(launch.curvePairId).address
}
