import type { LogDecoder } from './decoding/blockScope.ts'
import { isInt128 } from './decoding/concentratedManager.ts'
import { dataLength, readInt } from './decoding/hexWords.ts'
import { swapEvent } from './decoding/poolEvents.ts'
import type { EvmVenue } from './venue.ts'

/** Flows are the pool's: positive is received. The zero address is the native coin. */
const decodeCroc: LogDecoder = (log, scope) => {
  if (log.topics.length !== 3 || log.data.length < dataLength(10)) return false
  const base = scope.addresses.ofTopic(log.topics[1]!)
  const quote = scope.addresses.ofTopic(log.topics[2]!)
  if (base === null || quote === null || base === quote) return false
  const [baseFlow, quoteFlow] = [readInt(log.data, 8), readInt(log.data, 9)]
  if (!isInt128(baseFlow) || !isInt128(quoteFlow)) return false
  const trade =
    base < quote
      ? { couple: [base, quote] as const, amount0: baseFlow, amount1: quoteFlow }
      : { couple: [quote, base] as const, amount0: quoteFlow, amount1: baseFlow }
  const sender = scope.walletOr(log.address)
  scope.push(swapEvent(log, scope, { sender, to: sender, ...trade }))
  return true
}

/**
 * Ambient, also known as CrocSwap: one contract keeps all pools, some with the same two tokens. Its
 * pools get no pairs: only swaps through its direct call emit an event.
 */
export const ambient: EvmVenue = {
  name: 'ambient',
  kind: 'concentrated',
  events: {
    // CrocSwap(address indexed base, address indexed quote, uint256 poolIdx, bool isBuy, bool
    // inBaseQty, uint128 qty, uint16 tip, uint128 limitPrice, uint128 minOut, uint8 reserveFlags,
    // int128 baseFlow, int128 quoteFlow)
    '0x5d7a6c346454f5c536b7f52655e780f6db27b15b489f80f2dbb288c9e4f366bd': decodeCroc,
  },
}
