import type { AuditResult } from '../../audit/auditFinding.ts'
import type { NodesOptions } from '../../kinds/chainKind.ts'
import type { EndpointTally } from '../../kinds/intake.ts'
import type { LogTerms } from '../../lib/logger.ts'
import type { Holdings, HoldingsQuery, WalletFacts } from '../../model/walletFacts.ts'
import type { ContractFindings } from '../../risk/riskReport.ts'
import type { RiskSubject } from '../../risk/riskSubject.ts'
import type { AuditQuestion } from '../audit/threadAudits.ts'
import type { ThreadCallAnswer, ThreadCallOrder } from './threadCalls.ts'

/** What the thread that asks a chain's nodes for callers is started with. */
export type NodeThreadData = Omit<NodesOptions, 'logger' | 'rates'> & { log: LogTerms }

export type NodeQuestion =
  | { type: 'contract'; subject: RiskSubject }
  | { type: 'wallets'; addresses: readonly string[] }
  | ({ type: 'holdings' } & HoldingsQuery)
  | { type: 'images'; tokens: readonly string[] }
  | ({ type: 'audit' } & AuditQuestion)

export type NodeAnswer =
  | { type: 'contract'; findings: ContractFindings }
  | { type: 'wallets'; wallets: ReadonlyMap<string, WalletFacts> }
  | { type: 'holdings'; holdings: Holdings }
  | { type: 'images'; images: ReadonlyMap<string, string> }
  | { type: 'audit'; result: AuditResult }

export type NodeThreadOrder = ThreadCallOrder<NodeQuestion>

export type NodeThreadMessage =
  | ThreadCallAnswer<NodeAnswer>
  | { type: 'endpoints'; endpoints: readonly EndpointTally[] }
