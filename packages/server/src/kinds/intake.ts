import type { Rpc } from '../chain/rpc/rpc.ts'
import type { RpcMetric } from '../chain/rpc/rpcCall.ts'
import type { BlockRef, BlockSourceProgress, ChainEvent, NodeFault } from '../model/block.ts'
import type { DecodedBlock } from '../model/decodedBlock.ts'
import type { UnclaimedLogs } from '../model/evm/unclaimedLogs.ts'
import type { UnverifiedBlock } from '../model/trust/doubt.ts'
import type { UnclaimedProgram } from '../model/unclaimed.ts'
import type { FindVenueMath } from '../model/venueMath.ts'
import type { HoldingsQuery, WalletFacts, WalletHoldings } from '../model/walletFacts.ts'
import type { ChainReader } from '../resolve/chainReader.ts'
import type { RiskChecker } from '../risk/riskChecker.ts'

export type IntakeProgress = BlockSourceProgress

/** Request counts and health of one endpoint. Plain data. */
export type EndpointStats = {
  /** Host, without credentials and path. */
  name: string
  isHealthy: boolean
  latencyMs: number
  lastError: NodeFault | null
  /** Number of calls by outcome: `ok` or the kind of the error. */
  outcomes: Record<string, number>
  /** Number of requests sent to this endpoint because another one was slow. */
  hedges: number
  /** Number of answers that contradicted themselves. */
  faults: number
  /** How long a call would wait now for the endpoint's rate limit. @default 0 */
  rateWaitMs?: number | undefined
}

/**
 * Verdict on a block. right: proven, or a majority agrees. wrong: `block` is the correct one.
 * split: nodes disagree without a majority. alone: there is no other node to ask.
 */
export type SecondOpinion<block> =
  | { type: 'right' }
  | { type: 'wrong'; block: block }
  | { type: 'split'; others: readonly block[] }
  | { type: 'alone' }

export type BlockReviewer<block> = {
  /** Returns a digest that is equal for blocks with equal content. */
  digestOf(block: block): string
  /** Asks the nodes again whether an unverified block is part of the chain. */
  review(block: UnverifiedBlock): Promise<'right' | 'wrong' | 'unknown'>
}

/** A chain as the pipeline sees it: the only part that differs between families. */
export type ChainIntake<block> = {
  events(): AsyncIterable<ChainEvent<block>>
  progress(): IntakeProgress
  refOf(block: block): BlockRef
  /** Asks other nodes to verify a delivered block. */
  confirm(block: block): Promise<SecondOpinion<block>>
  /** Re-reads stored unverified blocks. @default they are not read again */
  reviews?: BlockReviewer<block> | undefined
  decode(block: block): DecodedBlock
  /** Numbers of inputs dropped so far, by reason. */
  droppedCounts(): Record<string, number>
  /** Programs that trade but that no venue decodes, most calls first. @default not counted */
  unclaimedPrograms?(): readonly UnclaimedProgram[]
  /** Request counts and health of the nodes. */
  endpoints(): readonly EndpointStats[]
  /**
   * Logs of known contracts that no venue decodes, most frequent first, and their total number.
   * @default not counted
   */
  unclaimedLogs?(): { rows: readonly UnclaimedLogs[]; total: number }
  reader: ChainReader
  /** Venue arithmetic for the ledger. @default none: all events contain their prices */
  venueMath?: FindVenueMath | undefined
  close(): void
}

/** A chain's nodes, for requests of API clients. */
export type ConnectedNodes = {
  /** Unanswered wallets are missing from the result or null. Never rejects because of a node. */
  readWallets(
    addresses: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, WalletFacts>>
  /**
   * Unanswered holdings are missing from the result. Never rejects because of a node. @default
   * tokens of this family do not report balances
   */
  readHoldings?(query: HoldingsQuery, signal: AbortSignal): Promise<WalletHoldings>
  /**
   * Returns image URLs that tokens declare; empty for a token without one. Unanswered tokens are
   * missing. Never rejects because of a node. @default images are not read
   */
  readImages?(tokens: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, string>>
  /** Null for families whose contracts are not analyzed; risk reports say so. */
  checker: RiskChecker | null
  endpoints(): readonly EndpointStats[]
  close(): Promise<void> | void
}

type RpcStats = {
  onMetric(metric: RpcMetric): void
  read(rpc: Pick<Rpc, 'status'>): EndpointStats[]
}

/** Counts the calls to a chain's endpoints by outcome, starting from earlier counts. */
export function createRpcStats(before: readonly EndpointStats[] = []): RpcStats {
  const counted = new Map<string, Pick<EndpointStats, 'outcomes' | 'hedges' | 'faults'>>(
    before.map(({ name, outcomes, hedges, faults }) => [
      name,
      { outcomes: { ...outcomes }, hedges, faults },
    ]),
  )

  function countsOf(endpoint: string) {
    const counts = counted.get(endpoint) ?? { outcomes: {}, hedges: 0, faults: 0 }
    counted.set(endpoint, counts)
    return counts
  }

  return {
    onMetric(metric) {
      const counts = countsOf(metric.endpoint)
      if (metric.type === 'hedge') counts.hedges += 1
      else if (metric.type === 'fault') counts.faults += 1
      else
        for (const [outcome, calls] of Object.entries(metric.outcomes))
          counts.outcomes[outcome] = (counts.outcomes[outcome] ?? 0) + calls
    },
    read: (rpc) =>
      rpc.status().map(({ name, isHealthy, latencyMs, lastError, rateWaitMs }) => {
        const { outcomes, ...counts } = countsOf(name)
        const health = { name, isHealthy, latencyMs, lastError, rateWaitMs }
        return { ...health, outcomes: { ...outcomes }, ...counts }
      }),
  }
}
