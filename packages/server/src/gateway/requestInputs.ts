import { canonicalPair, canonicalToken, parseId } from '@chaintape/protocol'
import { RequestError } from './errors.ts'
import type { GatewayChain, GatewayChains } from './gatewayChain.ts'

/** A chain and an address on it, in canonical text. */
export type ChainAddress = { chain: GatewayChain; address: string }

/** Text of a query parameter that must be there exactly once. */
export function requiredQuery(query: unknown, name: string): string {
  const value = (query as Record<string, unknown>)[name]
  if (Array.isArray(value))
    throw new RequestError('invalid_param', `Give ${name} once, not ${value.length} times.`, name)
  if (typeof value !== 'string' || value === '')
    throw new RequestError('missing_param', `The parameter ${name} is required.`, name)
  return value
}

export function chainOf(chains: GatewayChains, name: string, param: string): GatewayChain {
  const chain = chains.get(name)
  if (chain === undefined)
    throw new RequestError(
      'unknown_chain',
      `The chain ${JSON.stringify(name)} is not served here; these are: ${[...chains.keys()].join(', ')}.`,
      param,
    )
  if (chain.reads.head() === null)
    throw new RequestError(
      'not_ready',
      `The chain ${name} has no applied block yet; /health/ready says why.`,
      param,
    )
  return chain
}

export function parsePairId(chains: GatewayChains, text: string): ChainAddress {
  return parseMarketId(chains, text, 'pair-id', canonicalPair)
}

export function parseTokenId(chains: GatewayChains, text: string): ChainAddress {
  return parseMarketId(chains, text, 'token-id', canonicalToken)
}

function parseMarketId(
  chains: GatewayChains,
  text: string,
  param: 'pair-id' | 'token-id',
  canonical: typeof canonicalPair,
): ChainAddress {
  const id = parseId(text)
  if (id === null) throw new RequestError('malformed_id', `A ${param} is <address>-<chain>.`, param)
  const chain = chainOf(chains, id.chain, param)
  const address = canonical(chain.kind, id.address)
  if (address === null)
    throw new RequestError(
      'malformed_id',
      `The address of this ${param} is not one of the chain ${id.chain}.`,
      param,
    )
  return { chain, address }
}
