import type { ContractRisk } from '@chaintape/protocol'
import type { ChainProfile } from '../../../model/chainProfile.ts'
import type { RiskReport } from '../../../risk/riskReport.ts'
import type { RiskSubject } from '../../../risk/riskSubject.ts'
import { shareText } from '../../../risk/shares.ts'

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
