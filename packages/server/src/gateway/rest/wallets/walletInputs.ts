import { parseId } from '@chaintape/protocol'
import type { GatewayChain } from '../../chain/gatewayChain.ts'
import { RequestError } from '../../ground/errors.ts'
import { quoteInput, requiredTextInput } from '../../inputs/inputs.ts'

/**
 * Parses a wallet or token address, which have the same format. Also accepts a token id of this
 * chain.
 */
export function canonicalAddress(chain: GatewayChain, text: string, param: string): string {
  const id = parseId(text)
  const address = chain.ids.token(id?.chain === chain.profile.name ? id.address : text)
  if (address === null)
    throw new RequestError(
      'malformed_id',
      `${quoteInput(text)} is not an address on ${chain.profile.name}.`,
      param,
    )
  return address
}

export const walletAddressInput = requiredTextInput({
  name: 'wallet_address',
  description: 'Account that signed the transactions.',
})

// The zero time that clients of this interface know as "never".
const neverText = '0001-01-01T00:00:00Z'

/** Formats unix seconds as RFC 3339 in UTC; 0 becomes the zero time. */
export function formatRfc3339(timeS: number): string {
  return timeS === 0 ? neverText : new Date(timeS * 1_000).toISOString().replace('.000Z', 'Z')
}

/**
 * Parses an RFC 3339 time to unix seconds, dropping fractions. Null when the text is not a valid
 * time.
 */
export function parseRfc3339(text: string): number | null {
  if (!/^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/.test(text)) return null
  const timeMs = Date.parse(text)
  return Number.isNaN(timeMs) ? null : Math.floor(timeMs / 1_000)
}
