import { decimalOfDouble, decimalOfRaw } from '../../../lib/decimal.ts'
import type { HolderSells, RiskReport } from '../../../risk/riskReport.ts'
import { isOwnerGone, riskLevel } from '../../../risk/riskScore.ts'
import { shareOf } from '../../../risk/riskSubject.ts'
import { jsonNumber, jsonObject, jsonTokenAmount } from '../../rows/wireNumber.ts'
import {
  type ContractRiskInput,
  fractionText,
  holderFields,
  jsonTextOf,
  lpFields,
  numberFlag,
  percentOver5,
  poolName,
  type RiskFields,
  textFlag,
} from './holderFields.ts'

const liquidityAdequateUsd = 5_000
const detectorVersion = 'v1.0.0'

/**
 * Encodes the risk answer of a token. Fields that cannot be determined are absent, never a value
 * that looks safe.
 */
export function encodeContractRisk(input: ContractRiskInput): string {
  const fields: RiskFields = {
    ...tokenFields(input),
    ...scoreFields(input),
    ...codeFields(input),
    ...nativeFields(input),
    ...ownerFields(input),
    ...tradeFields(input),
    ...poolFields(input),
    ...lpFields(input),
    ...holderFields(input),
  }
  const present = Object.entries(fields).filter((entry): entry is [string, string] => {
    return entry[1] !== undefined
  })
  return jsonObject(Object.fromEntries(present))
}

function tokenFields({ profile, subject, report }: ContractRiskInput): RiskFields {
  const { supply, decimals, launch } = subject
  const locked = supply === null ? null : shareOf(supply.locked, supply.total)
  return {
    token: jsonTextOf(subject.address),
    chain: jsonTextOf(profile.name),
    token_name: jsonTextOf(subject.name),
    token_symbol: jsonTextOf(subject.symbol),
    decimal: jsonTextOf(String(decimals)),
    total: supply === null ? undefined : jsonTextOf(decimalOfRaw(supply.total, decimals)),
    holders: supply === null ? undefined : String(supply.holders),
    lock_amount: supply === null ? undefined : jsonTokenAmount(supply.locked, decimals),
    burn_amount: supply === null ? undefined : jsonTokenAmount(supply.burnt, decimals),
    token_lock_percent: locked === null ? undefined : jsonNumber(locked),
    issue_platform: jsonTextOf(launch?.platform ?? ''),
    checked_block: String(report.block.number),
    updated_at: String(report.block.timeS),
    version: jsonTextOf(detectorVersion),
    err_code: jsonTextOf(report.tradeError === '' ? '0' : 'not_simulated'),
    err_msg: jsonTextOf(report.tradeError),
  }
}

function scoreFields({ report }: ContractRiskInput): RiskFields {
  const { score, items, isHoneypot, isListed } = report
  return {
    risk_score: String(score),
    analysis_risk_score: String(score),
    risk_level: String(riskLevel(report)),
    is_listed: numberFlag(isListed),
    risk_items: JSON.stringify(items),
    is_honeypot: isHoneypot === null ? '-1' : isHoneypot ? '1' : '0',
    honeypot_with_same_creator: textFlag(report.hasHoneypotOfCreator),
  }
}

function codeFields({ report }: ContractRiskInput): RiskFields {
  const { flags, hasCode, isProxy, isUpgradeable } = report
  return {
    has_code: numberFlag(hasCode),
    is_proxy: textFlag(isProxy),
    is_upgradeable: textFlag(isUpgradeable),
    has_mint_method: numberFlag(flags?.canMint),
    has_black_method: numberFlag(flags?.canBlacklist),
    has_white_method: numberFlag(flags?.canWhitelist),
    transfer_pausable: textFlag(flags?.canPause),
    slippage_modifiable: numberFlag(flags?.canChangeTax),
    personal_slippage_modifiable: textFlag(flags?.canChangePersonalTax),
    owner_change_balance: textFlag(flags?.canChangeBalance),
    is_anti_whale: textFlag(flags?.hasMaxAmount),
    anti_whale_modifiable: textFlag(flags?.canChangeMaxAmount),
    trading_cooldown: textFlag(flags?.hasCooldown),
    can_take_back_ownership: textFlag(flags?.canTakeBackOwnership),
    hidden_owner: textFlag(flags?.hasHiddenOwner),
    selfdestruct: textFlag(flags?.canSelfDestruct),
    external_call: textFlag(flags?.callsOutside),
  }
}

/**
 * Encodes fields of tokens implemented by the chain's nodes, and the display factor of amounts,
 * which contract tokens may have too.
 */
function nativeFields({ subject, report }: ContractRiskInput): RiskFields {
  const { native, uiMultiplier } = report
  const cap = native?.supplyCapRaw ?? null
  const policies = native?.policies.map(({ scope, id, type, admin }) => {
    return { scope, id: String(id), type, ...(admin !== null && { admin }) }
  })
  return {
    token_standard: jsonTextOf(native?.standard),
    supply_cap: cap === null ? undefined : jsonTextOf(decimalOfRaw(cap, subject.decimals)),
    transfers_paused: textFlag(native?.isTransferPaused),
    policies: policies?.length ? JSON.stringify(policies) : undefined,
    ui_multiplier: uiMultiplier ? jsonTextOf(decimalOfRaw(uiMultiplier, 18)) : undefined,
  }
}

function ownerFields({ subject, report, creatorRecord }: ContractRiskInput): RiskFields {
  const { owner, roles, creator } = report
  const { decimals } = subject
  const total = subject.supply?.total
  const amount = (raw: bigint | null | undefined) =>
    raw === null || raw === undefined ? undefined : jsonTextOf(decimalOfRaw(raw, decimals))
  const balanceRaw = creator?.balanceRaw ?? null
  const made = balanceRaw === null || total === undefined ? null : shareOf(balanceRaw, total)
  return {
    owner: jsonTextOf(owner?.address),
    previous_owner: jsonTextOf(owner?.previous),
    owner_balance: amount(owner?.balanceRaw),
    owner_percent: owner === null ? undefined : fractionText(owner.balanceRaw, total),
    // Omitted when incomplete and empty: an empty list would claim that no account has a role.
    role_holders:
      roles?.isWhole || roles?.holders.length ? JSON.stringify(roles.holders) : undefined,
    creator_address: jsonTextOf(creator?.address),
    creator_tx: jsonTextOf(creator?.txHash),
    creator_balance: amount(creator?.balanceRaw),
    creator_percent: creator === null ? undefined : fractionText(creator.balanceRaw, total),
    creator_tokens: countText(creatorRecord?.tokens),
    creator_honeypots: countText(creatorRecord?.honeypots),
    creator_dead_tokens: countText(creatorRecord?.dead),
    analysis_creator_gt_5percent: made === null ? undefined : percentOver5(made),
    has_owner_removed_risk: owner?.isRenounced ? numberFlag(isOwnerGone(report)) : undefined,
  }
}

function tradeFields({ profile, subject, report }: ContractRiskInput): RiskFields {
  const { trade, holderSells, flags } = report
  const gas = (used: number | null | undefined) => gasUsdText({ profile, subject, report }, used)
  return {
    ...taxFields(report),
    has_sell_max_limit: numberFlag(hasSellLimit({ trade, holderSells, flags })),
    approve_gas: gas(trade?.approveFeeUnits),
    buy_gas: gas(trade?.buyFeeUnits),
    sell_gas: gas(trade?.sellFeeUnits),
    approve_gas_used: countText(trade?.approveFeeUnits),
    buy_gas_used: countText(trade?.buyFeeUnits),
    sell_gas_used: countText(trade?.sellFeeUnits),
    holder_analysis: holderSells?.tried ? holderSellsText(holderSells) : undefined,
  }
}

function taxFields({ trade, transferFee }: RiskReport): RiskFields {
  // A tax measured by simulation is preferred over the transfer fee declared on the chain.
  const percent = (measured: number | null | undefined) => {
    const tax = measured ?? transferFee
    return tax === null ? undefined : jsonNumber(percentOf(tax))
  }
  return {
    buy_tax: percent(trade?.buyTax),
    sell_tax: percent(trade?.sellTax),
    transfer_tax: jsonTextOf(percent(trade?.transferTax)),
    cannot_buy: textFlag(trade === null ? null : !trade.canBuy),
    cannot_sell_all:
      trade === null || trade.canSellAll === null ? undefined : textFlag(!trade.canSellAll),
  }
}

/**
 * Null when unknown. A sell limit is ruled out only if the code cannot hold a limit and the largest
 * holders can sell their whole balance.
 */
function hasSellLimit({
  trade,
  holderSells,
  flags,
}: Pick<RiskReport, 'trade' | 'holderSells' | 'flags'>): boolean | null {
  if (trade?.canSellAll === false) return true
  const canHoldersSell = holderSells !== null && holderSells.sold > 0 && holderSells.failed === 0
  return trade?.canSellAll && flags?.hasMaxAmount === false && canHoldersSell ? false : null
}

/** Converts a fraction to percent, rounded to four decimals to remove floating-point noise. */
function percentOf(fraction: number): number {
  return Math.round(fraction * 1_000_000) / 10_000
}

function countText(count: number | null | undefined): string | undefined {
  return count === null || count === undefined ? undefined : String(count)
}

/** Returns the cost of gas in USD; empty when the price of gas or of the native coin is unknown. */
function gasUsdText(
  { profile, subject, report }: Omit<ContractRiskInput, 'creatorRecord'>,
  used: number | null | undefined,
): string {
  const { nativeUsd } = subject
  if (used === null || used === undefined || nativeUsd === null || report.feeUnitRaw === null)
    return '""'
  const coins = decimalOfRaw(report.feeUnitRaw * BigInt(used), profile.native.decimals)
  return JSON.stringify(decimalOfDouble(Number(coins) * nativeUsd))
}

function holderSellsText({ tried, sold, failed, taxes }: HolderSells): string {
  const counts = new Map<number, number>()
  for (const tax of taxes) counts.set(percentOf(tax), (counts.get(percentOf(tax)) ?? 0) + 1)
  const distribution = [...counts]
    .sort(([a], [b]) => a - b)
    .map(([tax, count]) => jsonObject({ count: String(count), tax: jsonNumber(tax) }))
  const sum = taxes.reduce((total, tax) => total + tax, 0)
  return jsonObject({
    ...(taxes.length > 0 && { average_tax: jsonNumber(percentOf(sum / taxes.length)) }),
    sell_failure: String(failed),
    sell_successful: String(sold),
    simulate_holders: String(tried),
    tax_distribution: `[${distribution.join()}]`,
  })
}

function poolFields({ subject }: ContractRiskInput): RiskFields {
  const trusted = subject.pools.filter(({ isTrusted }) => isTrusted)
  const rows = trusted.map(({ amm, address, quote, liquidityUsd }) =>
    jsonObject({
      amm: JSON.stringify(amm),
      liquidity: JSON.stringify(jsonNumber(liquidityUsd)),
      name: JSON.stringify(poolName(amm, subject.symbol, quote.symbol)),
      pair: JSON.stringify(address),
    }),
  )
  const main = trusted[0]
  return {
    is_in_dex: textFlag(trusted.some(({ kind }) => kind !== 'curve')),
    dex: rows.length === 0 ? undefined : `[${rows.join()}]`,
    analysis_lp_current_volume: String(Math.round(main?.liquidityUsd ?? 0)),
    analysis_lp_current_adequate: textFlag((main?.liquidityUsd ?? 0) >= liquidityAdequateUsd),
  }
}
