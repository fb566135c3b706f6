import type { GatewayChain } from '../gatewayChain.ts'

/** Base58 in any case, as long as an address of 32 bytes may be. */
const base58InAnyCase = /^[0-9A-Za-z]{32,44}$/

/** The suffix that existing clients put behind a token's address for its launch curve. */
const curveSuffix = '_fo'

/** The address an existing client means by this text; null: compatibility mode has no rule for it. */
export function compatAddress(
  chain: GatewayChain,
  text: string,
  what: 'token' | 'pair',
): string | null {
  return what === 'token' ? tokenInAnyCase(chain, text) : curveOfToken(chain, text)
}

/** Some clients lower-case every id. Null unless exactly one token fits. */
function tokenInAnyCase({ ids, reads }: GatewayChain, text: string): string | null {
  if (!ids.isCaseSensitive || !base58InAnyCase.test(text)) return null
  if (reads.findToken(text) !== undefined) return text
  const [tokenId, ...others] = reads.findTokensAnyCase(text.toLowerCase())
  return tokenId === undefined || others.length > 0 ? null : reads.tokenRecord(tokenId).address
}

/** `<token>_fo` is the curve the token was launched on. A token without a curve keeps the text, which no pair has. */
function curveOfToken(chain: GatewayChain, text: string): string | null {
  if (!text.endsWith(curveSuffix)) return null
  const name = text.slice(0, -curveSuffix.length)
  const token = compatAddress(chain, name, 'token') ?? chain.ids.token(name)
  if (token === null) return null
  const { reads } = chain
  const tokenId = reads.findToken(token)
  const launch = tokenId === undefined ? null : reads.launchOf(tokenId)
  return launch === null ? `${token}${curveSuffix}` : reads.pairRecord(launch.curvePairId).address
}
