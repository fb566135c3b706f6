import type {
  CodeFlags,
  ContractFindings,
  HoneypotVerdict,
  RiskItem,
  RiskReport,
} from './riskReport.ts'
import {
  largestWithdrawableShare,
  lockedLpShare,
  type RiskSubject,
  shareOf,
  topShares,
} from './riskSubject.ts'

type ScoreInput = {
  subject: RiskSubject
  findings: ContractFindings
  isHoneypot: HoneypotVerdict
}

const scoreMax = 100
// Above this score lists mark a token as dangerous.
const scoreHigh = 55
/** Only a honeypot scores higher. */
const additiveMax = 95
/** Weight of a power whose owner renounced and cannot return. */
const renouncedFactor = 0.3

// A test compares this table with docs/inside/risk.md.
export const powerPoints: Readonly<Record<keyof CodeFlags, number>> = {
  canMint: 20,
  canPause: 15,
  canBlacklist: 15,
  canWhitelist: 5,
  canChangeTax: 15,
  canChangePersonalTax: 15,
  canChangeBalance: 40,
  hasMaxAmount: 0,
  canChangeMaxAmount: 5,
  hasCooldown: 5,
  canTakeBackOwnership: 20,
  hasHiddenOwner: 25,
  canSelfDestruct: 15,
  callsOutside: 10,
  seesContracts: 0,
}

/** Points for findings in the contract or in a simulated trade. */
export const tradePoints = {
  upgradeable: 20,
  taxed: 10,
  taxOver10: 20,
  taxOver20: 30,
  taxOver40: 45,
  transferRefused: 10,
  cannotSellAll: 20,
  someHoldersCaught: 20,
  notSimulated: 10,
} as const

/** Points for the market of a token, independent of its contract. */
export const marketPoints = {
  lpLoose: 15,
  lpOneHand: 15,
  liquidityUnder5k: 8,
  liquidityUnder1k: 15,
  top10Over30: 8,
  top10Over50: 15,
  makerOver5: 5,
  makerOver15: 10,
  fewHolders: 5,
} as const

/**
 * Limit of the market's points together. A young token has few holders and one liquidity provider,
 * which must not score like a contract that takes funds away.
 */
export const marketMax = 40

// Smaller taxes come from rounding and are shown as zero.
const taxMin = 0.000_000_5
const holdersFew = 50

/** Adds up the points; every point has an item with its reason. */
export function riskScore(input: ScoreInput): { score: number; items: RiskItem[] } {
  if (input.isHoneypot) return { score: scoreMax, items: [{ code: 'honeypot', points: scoreMax }] }
  const contract = [...powerItems(input.findings), ...tradeItems(input)].filter(
    ({ points }) => points > 0,
  )
  const market = [...liquidityItems(input), ...holderItems(input)]
  const sum = pointsOf(contract) + Math.min(marketMax, pointsOf(market))
  return { score: Math.min(additiveMax, Math.round(sum)), items: [...contract, ...market] }
}

function pointsOf(items: readonly RiskItem[]): number {
  return items.reduce((total, { points }) => total + points, 0)
}

/** -1: dangerous, 1: a quote asset of the chain's config, 0: neither. */
export function riskLevel({
  score,
  isHoneypot,
  isListed,
}: Pick<RiskReport, 'score' | 'isHoneypot' | 'isListed'>): -1 | 0 | 1 {
  if (isHoneypot || score > scoreHigh) return -1
  return isListed ? 1 : 0
}

/** True if the owner renounced, no function restores ownership, and no account has a role. */
export function isOwnerGone({ owner, flags, isUpgradeable, roles }: ContractFindings): boolean {
  return (
    owner?.isRenounced === true &&
    (roles === null || (roles.isWhole && roles.holders.length === 0)) &&
    flags?.canTakeBackOwnership === false &&
    flags.hasHiddenOwner === false &&
    isUpgradeable === false
  )
}

function powerItems(findings: ContractFindings): RiskItem[] {
  const { flags, isUpgradeable } = findings
  const factor = isOwnerGone(findings) ? renouncedFactor : 1
  const items = Object.entries(powerPoints).map(([code, points]) => ({
    code,
    points: flags?.[code as keyof CodeFlags] === true ? points * factor : 0,
  }))
  if (isUpgradeable) items.push(stateItem('upgradeable'))
  return items
}

const allPoints = { ...tradePoints, ...marketPoints }

function stateItem(code: keyof typeof allPoints): RiskItem {
  return { code, points: allPoints[code] }
}

function tradeItems({ findings }: ScoreInput): RiskItem[] {
  const { trade, holderSells, transferFee } = findings
  const items: RiskItem[] = []
  if (trade === null || !trade.canBuy || !trade.canSell) items.push(stateItem('notSimulated'))
  const measured = [trade?.buyTax, trade?.sellTax, trade?.transferTax]
  const tax = Math.max(...[...measured, transferFee].map((share) => share ?? 0))
  if (tax > 0.4) items.push(stateItem('taxOver40'))
  else if (tax > 0.2) items.push(stateItem('taxOver20'))
  else if (tax > 0.1) items.push(stateItem('taxOver10'))
  else if (tax >= taxMin) items.push(stateItem('taxed'))
  if (trade?.canTransfer === false) items.push(stateItem('transferRefused'))
  if (trade?.canSellAll === false) items.push(stateItem('cannotSellAll'))
  if (holderSells !== null && holderSells.failed > 0) items.push(stateItem('someHoldersCaught'))
  return items
}

function liquidityItems({ subject, findings }: ScoreInput): RiskItem[] {
  const items: RiskItem[] = []
  const main = subject.pools.find(({ isTrusted }) => isTrusted)
  // The holder of a side pool cannot drain the main market.
  const lp = findings.lp?.pair === main?.address ? findings.lp : null
  if (lp !== null && (lockedLpShare(lp) ?? 1) < 0.5) items.push(stateItem('lpLoose'))
  if (lp !== null && (largestWithdrawableShare(lp) ?? 0) > 0.5) items.push(stateItem('lpOneHand'))
  const usd = main?.liquidityUsd ?? 0
  if (usd < 1_000) items.push(stateItem('liquidityUnder1k'))
  else if (usd < 5_000) items.push(stateItem('liquidityUnder5k'))
  return items
}

function holderItems({ subject, findings }: ScoreInput): RiskItem[] {
  const items: RiskItem[] = []
  const top = topShares(subject)?.reduce((sum, share) => sum + share, 0) ?? 0
  if (top > 0.5) items.push(stateItem('top10Over50'))
  else if (top > 0.3) items.push(stateItem('top10Over30'))
  const maker = makerShare(subject, findings)
  if (maker > 0.15) items.push(stateItem('makerOver15'))
  else if (maker > 0.05) items.push(stateItem('makerOver5'))
  if (subject.supply !== null && subject.supply.holders < holdersFew)
    items.push(stateItem('fewHolders'))
  return items
}

function makerShare({ supply }: RiskSubject, { owner, creator }: ContractFindings): number {
  if (supply === null) return 0
  const owned = owner === null || owner.isRenounced ? 0n : (owner.balanceRaw ?? 0n)
  const made = creator?.address === owner?.address ? 0n : (creator?.balanceRaw ?? 0n)
  return shareOf(owned + made, supply.total) ?? 0
}
