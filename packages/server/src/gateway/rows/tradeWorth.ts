import type { SwapTx } from '@chaintape/protocol'
import { decimalOfE8, decimalOfRaw } from '../../lib/decimal.ts'
import type { ChainProfile } from '../../model/chainProfile.ts'
import type { LiquidityEvent, SwapEvent } from '../../model/marketEvent.ts'
import type { PairRecord } from '../../model/pair.ts'
import { poolReason } from './usdReason.ts'

/**
 * What a trade or a liquidity change is worth, as lists of transactions show it. Rows of untrusted pools which were stored
 * before their values were left out still have them.
 */
export function tradeWorth(
  {
    amountUsdE8,
    amountNativeRaw,
  }: Pick<SwapEvent | LiquidityEvent, 'amountUsdE8' | 'amountNativeRaw'>,
  { isTrusted }: PairRecord,
  { native }: ChainProfile,
): Pick<SwapTx, 'amount_usd' | 'amount_eth' | 'usd_reason'> {
  const reason = poolReason(isTrusted)
  if (reason !== null) return { amount_usd: '0', amount_eth: '0', usd_reason: reason }
  return {
    amount_usd: decimalOfE8(BigInt(amountUsdE8)),
    amount_eth: decimalOfRaw(BigInt(amountNativeRaw), native.decimals),
  }
}
