import { type SizedText, sizedText } from '../encoded.ts'
import type { GatewayChain } from '../gatewayChain.ts'
import type { Made } from './rowCache.ts'

/** Makes the JSON text of a token or pair. */
export type MakeText = (chain: GatewayChain, id: number, nowS: number) => Made<string>

/** As whole answers go out. */
export function asAnswer(make: MakeText) {
  return (chain: GatewayChain, id: number, nowS: number): Made<SizedText> => {
    const { value, validUntilS } = make(chain, id, nowS)
    return { value: sizedText(value), validUntilS }
  }
}
