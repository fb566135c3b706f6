import type { LiquidityEvent, SwapEvent } from '../../model/marketEvent.ts'
import { poolReason, usdReasonMember } from '../usdReason.ts'
import type { PairFacts } from './pairFacts.ts'

const untrustedMember = usdReasonMember(poolReason(false))

export type PushedWorth = {
  usdE8: number
  nativeRaw: number
  /** Members behind the others, with a comma: why both are 0. */
  reasonMember: string
}

/**
 * What a push says that an event is worth: nothing on an untrusted pool. Events that are replayed from the store may be
 * older than that rule.
 */
export function pushedWorth(
  { isTrusted }: PairFacts,
  {
    amountUsdE8,
    amountNativeRaw,
  }: Pick<SwapEvent | LiquidityEvent, 'amountUsdE8' | 'amountNativeRaw'>,
): PushedWorth {
  return isTrusted
    ? { usdE8: amountUsdE8, nativeRaw: amountNativeRaw, reasonMember: '' }
    : { usdE8: 0, nativeRaw: 0, reasonMember: untrustedMember }
}
