import type { CodeFlags, ContractFindings, HoneypotVerdict } from './riskReport.ts'

/** A sale that loses half is almost worthless. */
export const honeypotSellTax = 0.5
// With fewer holders one blocked account would decide.
const sellersMin = 5
const failedShareMax = 0.2

/**
 * Is the token a trap? True: it cannot be sold, only sold at a ruinous tax, or holders are locked
 * in. Null: nothing could be tried, or an anonymous sale failed in a way that the simulation itself
 * may cause.
 */
export function honeypotVerdict(findings: ContractFindings): HoneypotVerdict {
  const { trade, holderSells, flags, transferFee } = findings
  const tried = holderSells?.tried ?? 0
  const sold = holderSells?.sold ?? 0
  const isEverySellerCaught = tried > 0 && sold === 0
  if ((transferFee ?? 0) >= honeypotSellTax) return true
  if (trade === null || !trade.canBuy) return isEverySellerCaught ? true : null
  if (!trade.canSell) return sold < tried || !mayDetectSimulation(flags) ? true : null
  if ((trade.sellTax ?? 0) >= honeypotSellTax || isEverySellerCaught) return true
  return tried >= sellersMin && (tried - sold) / tried > failedShareMax
}

/** A token may refuse a second trade in one block, or contracts, and still let people trade. */
export function mayDetectSimulation(flags: CodeFlags | null): boolean {
  return flags?.hasCooldown !== false || flags.seesContracts !== false
}
