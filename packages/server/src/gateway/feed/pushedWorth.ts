import type { UsdReason } from '@chaintape/protocol'
import type { LiquidityEvent, SwapEvent } from '../../model/marketEvent.ts'
import { poolReason } from '../usdReason.ts'
import type { PairFacts } from './pairFacts.ts'

export type PushedWorth = {
  usdE8: number
  nativeRaw: number
  /** Why both are 0; null: they count. */
  reason: UsdReason | null
}

const noWorth: PushedWorth = { usdE8: 0, nativeRaw: 0, reason: poolReason(false) }

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
  return isTrusted ? { usdE8: amountUsdE8, nativeRaw: amountNativeRaw, reason: null } : noWorth
}
