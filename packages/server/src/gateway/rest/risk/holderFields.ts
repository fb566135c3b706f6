import type { ContractRisk } from '@chaintape/protocol'
import { decimalOfRaw } from '../../../lib/decimal.ts'
import type { ChainProfile } from '../../../model/chainProfile.ts'
import type { LpFacts, LpHolder, RiskReport } from '../../../risk/riskReport.ts'
import {
  largestWithdrawableShare,
  lockedLpShare,
  type RiskHolder,
  type RiskSubject,
  shareOf,
  shareText,
  topShares,
} from '../../../risk/riskSubject.ts'
import { jsonNumber, jsonObject, jsonTokenAmount } from '../../rows/wireNumber.ts'

const holdersShown = 10
// Share of a token's supply above which one account can move the price by itself.
const bigShare = 0.05
// Share of a pool's liquidity above which one account can remove the market.
const bigLpShare = 0.2
const topShareMax = 0.3
// Liquidity counts as burnt from this burnt share on.
const burntShareMin = 0.95

/** Encodes the fields about a token's largest holders. */
export function holderFields({ subject, report }: ContractRiskInput): RiskFields {
  const top = topShares(subject)
  const rows = subject.holders
    .slice(0, holdersShown)
    .map((holder) => holderText(subject, holder, report.creator?.address))
  return {
    token_holders_rank: rows.length === 0 ? undefined : `[${rows.join()}]`,
    analysis_big_wallet: textFlag(top === null ? null : top.some((share) => share > bigShare)),
    has_top10_holder_amount_over_30: numberFlag(
      top === null ? null : top.reduce((sum, share) => sum + share, 0) > topShareMax,
    ),
  }
}

/** Encodes the fields about a pool's liquidity providers. */
export function lpFields({ report: { lp, creator } }: ContractRiskInput): RiskFields {
  if (lp === null) return {}
  const loose = largestWithdrawableShare(lp)
  const tied = lockedLpShare(lp)
  const made = lp.makerRaw === null ? null : shareOf(lp.makerRaw, lp.totalRaw)
  // With an unknown creator, `makerRaw` covers only the owner, so a small share proves nothing.
  const isMadeKnown = made !== null && (creator !== null || made > bigShare)
  const rows = lp.holders.map((holder) => lpHolderText(holder, lp.totalRaw, lp.decimals))
  return {
    lp_pair: JSON.stringify(lp.pair),
    has_not_burned_lp: lp.burntRaw === null ? undefined : numberFlag(!isBurnt(lp)),
    pair_total: lp.isSupply ? jsonTokenAmount(lp.totalRaw, lp.decimals) : undefined,
    pair_lock_percent: tied === null ? undefined : jsonNumber(tied),
    pair_holders: lp.holderCount === null ? undefined : String(lp.holderCount),
    pair_holders_rank: `[${rows.join()}]`,
    big_lp_without_any_lock: numberFlag(loose === null ? null : loose > bigLpShare),
    analysis_lp_creator_gt_5percent: isMadeKnown ? percentOver5(made) : undefined,
  }
}

/** True when nearly all liquidity is burnt. The rest may have been added by others later. */
function isBurnt({ burntRaw, totalRaw }: LpFacts): boolean {
  return burntRaw !== null && shareOf(burntRaw, totalRaw)! >= burntShareMin
}

function holderText(subject: RiskSubject, holder: RiskHolder, creator: string | undefined): string {
  const { address, amountRaw } = holder
  // The holder's kind may be outdated: the risk check may have just found the creator.
  const isMaker = address === creator && (holder.kind === 'wallet' || holder.kind === 'contract')
  const kind = isMaker ? 'creator' : holder.kind
  const total = subject.supply?.total
  const share = total === undefined ? null : shareOf(amountRaw, total)
  const isTied = kind === 'burn' || kind === 'lock'
  const isFree = !isTied && kind !== 'pool'
  return jsonObject({
    address: JSON.stringify(address),
    is_contract: kind === 'pool' || kind === 'contract' || kind === 'lock' ? '1' : 'null',
    ...(kind === 'pool' && { is_lp: '1' }),
    ...(isTied && { lock: '[]' }),
    mark: JSON.stringify(markOf(subject, { ...holder, kind })),
    ...(total !== undefined && total > 0n && { percent: fractionText(amountRaw, total)! }),
    quantity: JSON.stringify(decimalOfRaw(amountRaw, subject.decimals)),
    ...(isFree && (share ?? 0) > bigShare && { analysis_show_warning: '"1"' }),
    ...(address === creator && { analysis_show_creator: '"1"' }),
  })
}

const marks = { burn: 'Blackhole', lock: 'Lock', creator: 'Creator' } as const

function markOf({ pools, symbol }: RiskSubject, { address, kind }: RiskHolder): string | null {
  if (kind === 'burn' || kind === 'lock' || kind === 'creator') return marks[kind]
  if (kind !== 'pool') return null
  const pool = pools.find((each) => each.address === address || each.factory === address)
  return pool === undefined ? null : poolName(pool.amm, symbol, pool.quote.symbol)
}

function lpHolderText({ address, amountRaw, kind }: LpHolder, total: bigint, decimals: number) {
  return jsonObject({
    address: JSON.stringify(address),
    is_contract: kind === 'contract' || kind === 'lock' ? '1' : 'null',
    // The presence of `lock`, even empty, means that the share cannot be withdrawn now.
    ...((kind === 'burn' || kind === 'lock') && { lock: '[]' }),
    mark: kind === 'wallet' || kind === 'contract' ? 'null' : JSON.stringify(marks[kind]),
    percent: fractionText(amountRaw, total)!,
    quantity: JSON.stringify(decimalOfRaw(amountRaw, decimals)),
  })
}

export type ContractRiskInput = {
  profile: Pick<ChainProfile, 'name' | 'native'>
  subject: RiskSubject
  report: RiskReport
  /** Record of the token's creator; null when the creator is unknown. */
  creatorRecord: CreatorRecord | null
}

/** Number of a creator's other tokens, and how many of them are honeypots or dead. */
export type CreatorRecord = { tokens: number; honeypots: number; dead: number }

/** Fields of the risk answer as JSON. Undefined fields are omitted. */
export type RiskFields = { [name in keyof ContractRisk]?: string | undefined }

/** Encodes a flag of the risk answer as `"1"` or `"0"`; undefined when unknown. */
export function textFlag(is: boolean | null | undefined): string | undefined {
  return is === null || is === undefined ? undefined : is ? '"1"' : '"0"'
}

/** Encodes a flag of the risk answer as `1` or `0`; undefined when unknown. */
export function numberFlag(is: boolean | null | undefined): string | undefined {
  return is === null || is === undefined ? undefined : is ? '1' : '0'
}

export function jsonTextOf(value: string | null | undefined): string | undefined {
  return value === null || value === undefined ? undefined : JSON.stringify(value)
}

export function fractionText(part: bigint | null, whole: bigint | undefined): string | undefined {
  const share = part === null || whole === undefined ? null : shareText(part, whole)
  return jsonTextOf(share)
}

/** Encodes a share in whole percent. Shares up to 5 % become 0. */
export function percentOver5(share: number): string {
  return share > 0.05 ? String(Math.round(share * 100)) : '0'
}

export function poolName(amm: string, symbol: string, quoteSymbol: string): string {
  return `${amm.slice(0, 1).toUpperCase()}${amm.slice(1)}: ${symbol}/${quoteSymbol}`
}
