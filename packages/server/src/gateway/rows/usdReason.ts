import type { UsdReason } from '@chaintape/protocol'
import type { TokenFacts } from '../../engine/marketReads.ts'
import { decimalOfRaw } from '../../lib/decimal.ts'

export const poolReason = (isTrusted: boolean): UsdReason | null =>
  isTrusted ? null : 'untrusted_pool'

export function tokenReason(
  isPriced: boolean,
  { isImplausible }: { isImplausible: boolean },
): UsdReason | null {
  if (!isPriced) return 'unpriced'
  return isImplausible ? 'implausible' : null
}

/** What a wallet's tokens are worth. Nobody has more than all of them, whatever a contract says of its transfers. */
export function balanceWorth(
  token: Pick<TokenFacts, 'record' | 'price' | 'supply' | 'isImplausible'>,
  balanceRaw: bigint,
): { usd: number; reason: UsdReason | null } {
  const { record, price, supply } = token
  const reason = tokenReason(price !== null, token)
  if (reason !== null) return { usd: 0, reason }
  const isOver = supply !== null && supply.total > 0n && balanceRaw > supply.total
  const raw = isOver ? supply.total : balanceRaw
  // The nearest double of the exact amount: dividing by a power of ten would round once more.
  return { usd: Number(decimalOfRaw(raw, record.decimals)) * (price?.usd ?? 0), reason }
}
