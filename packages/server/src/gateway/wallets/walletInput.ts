import { RequestError } from '../errors.ts'
import type { GatewayChain } from '../gatewayChain.ts'
import { requiredText, shown } from '../operation/inputs.ts'

/** Wallets and tokens are written alike. */
export function canonicalAddress(chain: GatewayChain, text: string, param: string): string {
  const address = chain.ids.token(text)
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
