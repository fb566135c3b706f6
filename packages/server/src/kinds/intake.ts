import type { BlockRef, ChainEvent, NodeFault, SourceProgress } from '../model/block.ts'
import type { DecodedBlock } from '../model/decodedBlock.ts'
import type { UnclaimedLogs } from '../model/evm/unclaimedLogs.ts'
import type { DoubtfulBlock } from '../model/trust/doubt.ts'
import type { UnclaimedProgram } from '../model/unclaimed.ts'
import type { FindVenueMath } from '../model/venueMath.ts'
import type { Holdings, HoldingsQuery, WalletFacts } from '../model/walletFacts.ts'
import type { ChainReader } from '../resolve/chainReader.ts'
import type { RiskChecker } from '../risk/riskChecker.ts'

export type IntakeProgress = SourceProgress

/** How one endpoint has done so far. Plain data. */
export type EndpointTally = {
  /** Host without credentials and path. */
  name: string
  isHealthy: boolean
  latencyMs: number
  lastError: NodeFault | null
  /** Calls, by how they ended: `ok` or the kind of the error. */
  outcomes: Record<string, number>
  /** Questions it was asked because another endpoint was slow. */
  hedges: number
  /** Answers that contradicted themselves. */
  faults: number
  /** How long a call would wait for its place under the limit of calls a second. @default 0 */
  rateWaitMs?: number | undefined
}

/** right: it is proven, or most say so. wrong: `block` is. split: nothing decides. alone: there is nobody else to ask. */
export type SecondOpinion<block> =
  | { type: 'right' }
  | { type: 'wrong'; block: block }
  | { type: 'split'; others: readonly block[] }
  | { type: 'alone' }

export type BlockReviews<block> = {
  /** Equal for blocks that say the same. */
  digestOf(block: block): string
  /** Does the chain say by now what this block did? */
  review(block: DoubtfulBlock): Promise<'right' | 'wrong' | 'unknown'>
}

/** One kind of chain as the pipeline sees it: the only part that differs between kinds. */
export type Intake<block> = {
  events(): AsyncIterable<ChainEvent<block>>
  progress(): IntakeProgress
  refOf(block: block): BlockRef
  /** What others say of a block that was given out. */
  confirm(block: block): Promise<SecondOpinion<block>>
  /** Blocks that were taken in doubt are asked for again. @default they are not */
  reviews?: BlockReviews<block> | undefined
  decode(block: block): DecodedBlock
  /** Inputs that were dropped so far, by reason. */
  dropped(): Record<string, number>
  /** Programs that trade and that no venue reads, most calls first. @default they are not counted */
  unclaimed?(): readonly UnclaimedProgram[]
  /** How the nodes have done so far. */
  endpoints(): readonly EndpointTally[]
  /** Logs of known contracts that nothing reads, most first, and how many there were. @default not counted */
  unclaimedLogs?(): { rows: readonly UnclaimedLogs[]; total: number }
  reader: ChainReader
  /** What the ledger asks of venues. @default nothing: all events tell their prices */
  math?: FindVenueMath | undefined
  close(): void
}

/** The nodes of a chain as those ask them who call the service. */
export type ConnectedNodes = {
  /** What is not answered is not in it, or null; never rejects for that. */
  readWallets(
    addresses: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, WalletFacts>>
  /** What is not answered is not in it; never rejects for that. @default a token of this kind has no say in it */
  readHoldings?(query: HoldingsQuery, signal: AbortSignal): Promise<Holdings>
  /**
   * Where the images of tokens are, as these say themselves; empty: they do not. What is not answered is not in it; never rejects for
   * that. @default nobody looks
   */
  readImages?(tokens: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, string>>
  /** Null: what contracts of this kind can do is not looked at, and reports say so. */
  checker: RiskChecker | null
  endpoints(): readonly EndpointTally[]
  close(): Promise<void> | void
}
