import type { Secrets } from '../lib/redactSecrets.ts'
import type { ChainProfile } from '../model/chainProfile.ts'
import type { Finality } from '../model/trust/finality.ts'
import type { PlausibilityLimits } from '../resolve/plausibility.ts'

/**
 * Options that a chain is opened with. Plain data, so that it can be posted to a thread. Each
 * family adds what its nodes need.
 */
export type ChainSetup = {
  /** Name of the chain's family. */
  kind: string
  profile: ChainProfile
  /** Key of the chain's stored data. Differs from the name for a local chain that can be reset. */
  storeName: string
  startBlock: number | 'latest'
  finality: Finality
  limits: PipelineLimits
  /**
   * Bounds above which a block is verified before it is applied. @default plausibilityLimitsDefault
   */
  plausibility?: PlausibilityLimits | undefined
  /** Redacted from node errors, besides secrets in node URLs. @default none */
  secrets?: Secrets | undefined
}

// A second node is asked after 1/hedgeShare of the first one's time limit: late enough to be rare.
export const hedgeDivisor = 10

export type PipelineLimits = {
  resolveMsMax: number
  ignoreMs: number
  creationSearchesMax: number
  shareReadsMax: number
  /** Time between re-reads of stored unverified blocks. @default 60_000 */
  doubtReviewMs?: number | undefined
  rpcMsMax: number
  rpcBatchRequestsMax: number
  logRangeBlocksMax: number
  backfillRangesMax: number
  /** Log entries handed over but not applied yet. */
  entriesAheadMax: number
}
