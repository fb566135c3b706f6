import type { MarketReads } from '../../engine/marketReads.ts'
import type {
  AuditStatus,
  BackfillStatus,
  ChainStatus,
  NodeStatus,
} from '../../gateway/chain/gatewayChain.ts'
import type { NodeFault } from '../../model/block.ts'
import type { WriterStatus } from '../../store/blockWriter.ts'
import type { PipelineProgress } from '../pipeline/chainPipeline.ts'
import { lagReason, type ReadinessLimits } from './chainLag.ts'

type ChainStatusParts = {
  engine: Pick<MarketReads, 'head'>
  progress: PipelineProgress | null
  /** Why the chain's worker cannot start indexing yet. @default null */
  startFault?: NodeFault | null | undefined
  writer: WriterStatus
  queueBlocksMax: number
  startBlock: number | 'latest'
  headWarnings: readonly string[]
  chain: string
  /**
   * Chains that were ready at least once in this run. `chainStatusOf` adds this chain when it is
   * ready.
   */
  readyOnce: Set<string>
  readyLimits: ReadinessLimits
  /** Backfill progress. @default null: no backfill is configured */
  past?: BackfillStatus | null | undefined
  /** Audit progress. @default null: audits are turned off */
  audit?: AuditStatus | null | undefined
  nowMs: number
}

// Writes and blocks take milliseconds, or about a second during a database checkpoint.
const slowMs = 3_000

/** Builds a chain's status for the health endpoints. */
export function chainStatusOf(parts: ChainStatusParts): ChainStatus {
  const { progress, writer } = parts
  const databaseError = databaseErrorOf(parts)
  const nodeFault = currentFaultOf(parts)
  const behind = lagReason(parts)
  if (behind === null) parts.readyOnce.add(parts.chain)
  const wasReady = parts.readyOnce.has(parts.chain)
  return {
    state: behind === null ? 'live' : wasReady ? 'lagging' : 'catching_up',
    wasReady,
    lagReason: behind,
    tipNumber: progress === null || progress.headNumber < 0 ? null : progress.headNumber,
    tipTimeS: progress === null || progress.headTimeS <= 0 ? null : progress.headTimeS,
    persistedNumber: writer.lastPersisted.number < 0 ? null : writer.lastPersisted.number,
    queueBlocks: writer.queuedBlocks,
    queueBlocksMax: parts.queueBlocksMax,
    pausedReason: pausedReasonOf(parts, databaseError),
    databaseError,
    rpcError: nodeFault?.summary ?? null,
    failedCheck: progress?.failedCheck ?? null,
    nodes: { error: nodeFault?.text ?? null, endpoints: endpointsOf(progress) },
    headWarnings: parts.headWarnings,
    unresolvedPools: progress?.unresolvedPools ?? 0,
    unclaimedPrograms: progress?.unclaimed,
    ...writer.leftOut,
    startBlock: parts.startBlock,
    unclaimedLogs: progress?.unclaimedLogs?.rows,
    history: writer.history,
    past: parts.past ?? null,
    audit: parts.audit ?? null,
    retentionError: writer.retentionHeld,
    doubtful: writer.doubtful,
  }
}

function currentFaultOf({ progress, startFault = null }: ChainStatusParts): NodeFault | null {
  return progress === null ? startFault : (progress.lastError ?? progress.waitsFor)
}

function endpointsOf(progress: PipelineProgress | null): NodeStatus[] {
  const endpoints = progress?.endpoints ?? []
  return endpoints.map(({ name, isHealthy, lastError }) => ({ name, isHealthy, lastError }))
}

/**
 * Returns why blocks are not being stored. A hung server reports no error, so a long write counts
 * as one.
 */
function databaseErrorOf({ writer, nowMs }: ChainStatusParts): string | null {
  const { lastError, writingSinceMs } = writer
  if (lastError !== null) return lastError.shortMessage
  const writingMs = writingSinceMs === null ? 0 : nowMs - writingSinceMs
  if (writingMs < slowMs) return null
  return `A write has been under way for ${Math.floor(writingMs / 1_000)} s.`
}

function pausedReasonOf(
  { writer, progress }: ChainStatusParts,
  databaseError: string | null,
): string | null {
  if (writer.isFull) return 'The database is behind: its queue is full.'
  if (progress === null || progress.busyMs < slowMs) return null
  if (progress.waitsFor !== null)
    return 'A block needs what a node knows, and waits for its answer.'
  return databaseError === null ? null : 'A block needs what is stored, and waits for the database.'
}
