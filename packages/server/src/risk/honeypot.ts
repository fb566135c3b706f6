import type { CodeFlags, ContractFindings, HoneypotVerdict } from './riskReport.ts'

/** A sale that loses half is as good as none. */
export const honeypotSellTax = 0.5
// With fewer holders a single blocked account would decide.
const sellersMin = 5
const failedShareMax = 0.2

/**
 * Can what is bought be sold? True: no, or only at a ruinous tax, or holders are locked in. Null: could not be
 * tried, or a stranger's sale failed in a way that the simulation itself may be the reason of.
 */
export function honeypotVerdict(findings: ContractFindings): HoneypotVerdict {
  const { trade, holderSells, flags, transferFee } = findings
  const tried = holderSells?.tried ?? 0
  const sold = holderSells?.sold ?? 0
  const isEverySellerCaught = tried > 0 && sold === 0
  if ((transferFee ?? 0) >= honeypotSellTax) return true
  if (trade === null || !trade.canBuy) return isEverySellerCaught ? true : null
  if (!trade.canSell) return sold < tried || !mayMindSimulation(flags) ? true : null
  if ((trade.sellTax ?? 0) >= honeypotSellTax || isEverySellerCaught) return true
  return tried >= sellersMin && (tried - sold) / tried > failedShareMax
}

/** A token may refuse a second trade in the same block, or contracts, and let people trade all the same. */
export function mayMindSimulation(flags: CodeFlags | null): boolean {
  return flags?.hasCooldown !== false || flags.seesContracts !== false
}
