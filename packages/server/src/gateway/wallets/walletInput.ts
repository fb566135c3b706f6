import { parseId } from '@chaintape/protocol'
import { RequestError } from '../errors.ts'
import type { GatewayChain } from '../gatewayChain.ts'
import { requiredText, shown } from '../operation/inputs.ts'

/** Wallets and tokens are written alike; a token may be a whole token-id. */
export function canonicalAddress(chain: GatewayChain, text: string, param: string): string {
  const id = parseId(text)
  const address = chain.ids.token(id?.chain === chain.profile.name ? id.address : text)
  if (address === null)
    throw new RequestError(
      'malformed_id',
      `${shown(text)} is not an address on ${chain.profile.name}.`,
      param,
    )
  return address
}

export const walletAddress = requiredText({
  name: 'wallet_address',
  description: 'Account that signed the transactions.',
})

// A time that never was, as clients of this interface know it.
const neverText = '0001-01-01T00:00:00Z'

/** Whole seconds in UTC; 0: never. */
export function rfc3339(timeS: number): string {
  return timeS === 0 ? neverText : new Date(timeS * 1_000).toISOString().replace('.000Z', 'Z')
}

/** Unix seconds of an RFC 3339 time, fractions cut off; null when it is none. */
export function timeSOfRfc3339(text: string): number | null {
  if (!/^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/.test(text)) return null
  const timeMs = Date.parse(text)
  return Number.isNaN(timeMs) ? null : Math.floor(timeMs / 1_000)
}
