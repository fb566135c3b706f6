import type { Secrets } from '../lib/hideSecrets.ts'
import type { ChainProfile } from '../model/chainProfile.ts'
import type { Finality } from '../model/trust/finality.ts'
import type { PlausibilityLimits } from '../resolve/plausibility.ts'

/** What a chain of any kind is opened with; plain data, so that it can cross to a thread. A kind adds what its nodes need. */
export type ChainSetup = {
  /** Name of its kind. */
  kind: string
  profile: ChainProfile
  /** What its history is stored under; differs from its name for a chain that can start again. */
  storeName: string
  startBlock: number | 'latest'
  finality: Finality
  limits: PipelineLimits
  /** What is looked at twice. @default plausibilityLimitsDefault */
  plausibility?: PlausibilityLimits | undefined
  /** Hidden in what nodes say, beside those of their own addresses. @default none */
  secrets?: Secrets | undefined
}

// A second node is asked when the first has used this share of its time: late enough to be rare.
export const hedgeShare = 10

export type PipelineLimits = {
  resolveMsMax: number
  notPoolMs: number
  creationSearchesMax: number
  shareReadsMax: number
  /** @default 60_000 */
  doubtReviewMs?: number | undefined
  rpcMsMax: number
  rpcBatchRequestsMax: number
  logRangeBlocksMax: number
  backfillRangesMax: number
  /** Entries handed over and not yet applied. */
  entriesAheadMax: number
}
