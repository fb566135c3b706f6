import type { ContractRisk } from '@chaintape/protocol'
import type { ChainProfile } from '../../../model/chainProfile.ts'
import type { RiskReport } from '../../../risk/riskReport.ts'
import type { RiskSubject } from '../../../risk/riskSubject.ts'
import { shareText } from '../../../risk/shares.ts'

export type ContractBodyInput = {
  profile: Pick<ChainProfile, 'name' | 'native'>
  subject: RiskSubject
  report: RiskReport
  /** Null: the creator is not known. */
  creatorRecord: CreatorRecord | null
}

/** What became of a creator's other tokens. */
export type CreatorRecord = { tokens: number; honeypots: number; dead: number }

/** JSON text by field; undefined is absent. */
export type Fields = { [name in keyof ContractRisk]?: string | undefined }

/** `"0"` or `"1"`. */
export function textFlag(is: boolean | null | undefined): string | undefined {
  return is === null || is === undefined ? undefined : is ? '"1"' : '"0"'
}

/** `0` or `1`. */
export function numberFlag(is: boolean | null | undefined): string | undefined {
  return is === null || is === undefined ? undefined : is ? '1' : '0'
}

export function textOf(value: string | null | undefined): string | undefined {
  return value === null || value === undefined ? undefined : JSON.stringify(value)
}

export function fractionText(part: bigint | null, whole: bigint | undefined): string | undefined {
  const share = part === null || whole === undefined ? null : shareText(part, whole)
  return textOf(share)
}

/** Whole percent, 0 up to five. */
export function percentOver5(share: number): string {
  return share > 0.05 ? String(Math.round(share * 100)) : '0'
}

export function poolName(amm: string, symbol: string, quoteSymbol: string): string {
  return `${amm.slice(0, 1).toUpperCase()}${amm.slice(1)}: ${symbol}/${quoteSymbol}`
}
