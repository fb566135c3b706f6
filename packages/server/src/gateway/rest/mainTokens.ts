import { type Clock, type GatewayChains, nowSOf } from '../gatewayChain.ts'
import { chainOf, requiredQuery } from '../requestInputs.ts'
import { type TokenRow, tokenRow } from './tokenRow.ts'

/** GET /v2/tokens/main: what others are priced in: the wrapped coin, the stables, the other quotes. */
export function mainTokens(chains: GatewayChains, query: unknown, clock: Clock): TokenRow[] {
  const chain = chainOf(chains, requiredQuery(query, 'chain'), 'chain')
  const { native, stables, quotes } = chain.profile
  const addresses = new Set([native.wrappedToken, ...stables, ...quotes])
  const nowS = nowSOf(chain, clock)
  return [...addresses].flatMap((address) => {
    const tokenId = chain.reads.findToken(address)
    return tokenId === undefined ? [] : [tokenRow(chain, tokenId, nowS)]
  })
}
