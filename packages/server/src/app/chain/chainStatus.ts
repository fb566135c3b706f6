import type { MarketReads } from '../../engine/marketReads.ts'
import type {
  AuditStatus,
  ChainStatus,
  NodeStatus,
  PastStatus,
} from '../../gateway/gatewayChain.ts'
import type { NodeFault } from '../../model/block.ts'
import type { WriterStatus } from '../../store/blockWriter.ts'
import type { PipelineProgress } from '../pipeline/chainPipeline.ts'
import { behindOf, type ReadyLimits } from './chainLag.ts'

type ChainStatusParts = {
  engine: Pick<MarketReads, 'head'>
  progress: PipelineProgress | null
  /** Why the chain could not be begun to be read, while that is so. @default null */
  startFault?: NodeFault | null | undefined
  writer: WriterStatus
  queueBlocksMax: number
  startBlock: number | 'latest'
  headWarnings: readonly string[]
  chain: string
  /** Names of the chains that were ready in this run; one that is ready now is put in. */
  readyOnce: Set<string>
  readyLimits: ReadyLimits
  /** @default nobody reads it */
  past?: PastStatus | null | undefined
  /** @default nobody looks */
  audit?: AuditStatus | null | undefined
  nowMs: number
}

// A write, or a block, takes milliseconds, with a checkpoint under way perhaps a second.
const slowMs = 3_000

/** What health says of a chain. */
export function chainStatusOf(parts: ChainStatusParts): ChainStatus {
  const { progress, writer } = parts
  const databaseError = databaseErrorOf(parts)
  const nodeFault = currentFaultOf(parts)
  const behind = behindOf(parts)
  if (behind === null) parts.readyOnce.add(parts.chain)
  const wasReady = parts.readyOnce.has(parts.chain)
  return {
    state: behind === null ? 'live' : wasReady ? 'lagging' : 'catching_up',
    wasReady,
    behind,
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
    unclaimed: progress?.unclaimed,
    ...writer.leftOut,
    startBlock: parts.startBlock,
    unclaimedLogs: progress?.unclaimedLogs?.rows,
    history: writer.history,
    past: parts.past ?? null,
    audit: parts.audit ?? null,
    retentionHeld: writer.retentionHeld,
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

/** Why blocks are not being stored; a server that hangs gives no error of its own. */
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
