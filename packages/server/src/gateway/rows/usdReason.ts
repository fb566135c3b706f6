import type { SwapTx, UsdReason } from '@chaintape/protocol'
import type { TokenFacts } from '../../engine/marketReads.ts'
import { decimalOfE8, decimalOfRaw } from '../../lib/decimal.ts'
import type { ChainProfile } from '../../model/chainProfile.ts'
import type { LiquidityEvent, SwapEvent } from '../../model/marketEvent.ts'
import type { PairRecord } from '../../model/pair.ts'

export const poolUsdReason = (isTrusted: boolean): UsdReason | null =>
  isTrusted ? null : 'untrusted_pool'

export function tokenUsdReason(
  isPriced: boolean,
  { isImplausible }: { isImplausible: boolean },
): UsdReason | null {
  if (!isPriced) return 'unpriced'
  return isImplausible ? 'implausible' : null
}

/**
 * Returns the USD worth of a wallet's balance. The balance is capped at the total supply, because a
 * contract can report any transfer.
 */
export function balanceUsdWorth(
  token: Pick<TokenFacts, 'record' | 'price' | 'supply' | 'isImplausible'>,
  balanceRaw: bigint,
): { usd: number; reason: UsdReason | null } {
  const { record, price, supply } = token
  const reason = tokenUsdReason(price !== null, token)
  if (reason !== null) return { usd: 0, reason }
  const isOver = supply !== null && supply.total > 0n && balanceRaw > supply.total
  const raw = isOver ? supply.total : balanceRaw
  // Uses the double nearest to the exact amount. Dividing a double by a power of ten would round a
  // second time.
  return { usd: Number(decimalOfRaw(raw, record.decimals)) * (price?.usd ?? 0), reason }
}

/**
 * Returns the worth of a trade or liquidity change in transaction lists; 0 with a reason for
 * untrusted pools. Rows of untrusted pools stored by older versions may still contain values, which
 * are ignored.
 */
export function tradeUsdFields(
  {
    amountUsdE8,
    amountNativeRaw,
  }: Pick<SwapEvent | LiquidityEvent, 'amountUsdE8' | 'amountNativeRaw'>,
  { isTrusted }: PairRecord,
  { native }: ChainProfile,
): Pick<SwapTx, 'amount_usd' | 'amount_eth' | 'usd_reason'> {
  const reason = poolUsdReason(isTrusted)
  if (reason !== null) return { amount_usd: '0', amount_eth: '0', usd_reason: reason }
  return {
    amount_usd: decimalOfE8(BigInt(amountUsdE8)),
    amount_eth: decimalOfRaw(amountNativeRaw, native.decimals),
  }
}
