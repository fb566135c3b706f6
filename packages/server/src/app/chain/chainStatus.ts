import type { Config } from '../../config/schema/schema.ts'
import type { MarketReads } from '../../engine/marketReads.ts'
import type {
  AuditStatus,
  BackfillStatus,
  ChainStatus,
  NodeStatus,
} from '../../gateway/chain/gatewayChain.ts'
import type { Logger } from '../../lib/logger.ts'
import { type BlockRef, blockNumberDistance, type NodeFault } from '../../model/block.ts'
import type { WriterStatus } from '../../store/blockWriter.ts'
import type { PipelineProgress } from '../pipeline/chainPipeline.ts'

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

/** How far behind a ready chain may be. Meeting either of the first two limits is enough. */
export type ReadinessLimits = {
  lagSMax: number
  lagBlocksMax: number
  /** Maximum age of the newest block while no node answers. */
  headAgeSMax: number
}

// A chain with a block per minute is still ready when it is one block behind.
const readyLagS = 60
// Blocks normally being processed at the head of a fast chain.
const readyLagBlocks = 8

export function readinessLimitsOf({ limits }: Pick<Config, 'limits'>): ReadinessLimits {
  return {
    lagSMax: readyLagS,
    lagBlocksMax: readyLagBlocks,
    headAgeSMax: limits.head_age_s_max,
  }
}

type ChainLagParts = {
  engine: Pick<MarketReads, 'head'>
  progress: Pick<PipelineProgress, 'headNumber' | 'headTimeS' | 'lastError' | 'failedCheck'> | null
  readyLimits: ReadinessLimits
  nowMs: number
}

/**
 * Returns why a chain is not at or near its newest block; null: it is. The lag is measured against
 * the head the nodes report, since a quiet chain may have no block for an hour. The clock counts
 * only while no node answers.
 */
export function lagReason({ engine, progress, readyLimits, nowMs }: ChainLagParts): string | null {
  const head = engine.head()
  if (head === null) return 'no block is applied yet'
  if (progress === null) return 'it is served as it was stored, and not read yet'
  const { headNumber: tip, headTimeS: tipTimeS, lastError, failedCheck = null } = progress
  const fault = failedCheck ?? lastError?.summary
  if (tip < 0) return fault ?? 'no node has reported its newest block yet'
  const lagBlocks = blockNumberDistance(head.number, tip)
  const lagS = tipTimeS - head.timeS
  const { lagBlocksMax, lagSMax, headAgeSMax } = readyLimits
  if (lagBlocks > lagBlocksMax && lagS > lagSMax)
    return [`at block ${head.number} of ${tip}, ${lagBlocks} blocks and ${lagS} s behind`]
      .concat(failedCheck ?? [])
      .join(': ')
  const ageS = Math.floor(nowMs / 1_000) - head.timeS
  if (lastError !== null && ageS > headAgeSMax)
    return failedCheck === null
      ? `the newest block is ${ageS} s old and no node answers: ${lastError.summary}`
      : `the newest block is ${ageS} s old: ${failedCheck}`
  return null
}

export type HeadLimits = {
  /** How many seconds the newest block may be ahead of the clock. */
  aheadSMax: number
  /** How many seconds the lag behind the nodes' head may keep growing. */
  growthSMax: number
}

type HeadFacts = {
  /** Newest applied block. */
  head: Pick<BlockRef, 'number' | 'timeS'> | null
  /** Newest block any node reported; negative: none yet. */
  tipNumber: number
  nowMs: number
}

/**
 * Compares a chain's head with the clock and the nodes. Logs when a problem starts and when it
 * ends.
 */
type HeadWatch = {
  note(facts: HeadFacts): void
  /** Current problems, each a sentence without a full stop. */
  warnings(): string[]
}

type Lag = { blocks: number; atMs: number }

// Blocks normally being processed at the head; a lag below this is not growth.
const lagBlocksUsual = 8
const notesPerGrowth = 32
// Clocks of nodes and of this machine may differ by seconds.
const aheadSMax = 30
// A burst of full blocks is over sooner than this.
const growthSMax = 60

/**
 * Chains without `header_ahead_s_max` may be ahead of the clock. So may the local chain, which is
 * in no config.
 */
export function headLimitsOf({ chains }: Pick<Config, 'chains'>, chain: string): HeadLimits {
  const isBounded = (chains[chain]?.header_ahead_s_max ?? 0) > 0
  return {
    aheadSMax: isBounded ? aheadSMax : Number.POSITIVE_INFINITY,
    growthSMax,
  }
}

export function createHeadWatch(chain: string, limits: HeadLimits, logger: Logger): HeadWatch {
  const growthMs = limits.growthSMax * 1_000
  // About `notesPerGrowth` lags of the last `growthMs`, oldest first.
  let lags: Lag[] = []
  let warnings: string[] = []
  const logged = new Set<string>()

  function noteLag(blocks: number, atMs: number): void {
    const last = lags.at(-1)
    if (last !== undefined && atMs - last.atMs < growthMs / notesPerGrowth) return
    lags.push({ blocks, atMs })
    // Keep one lag older than `growthMs`, so that the list always covers the whole period.
    const first = lags.findLastIndex((lag) => atMs - lag.atMs >= growthMs)
    if (first > 0) lags = lags.slice(first)
  }

  /**
   * Returns the lag at the start of the period if the lag kept growing since; null otherwise.
   * Catching up after a jump is not growth.
   */
  function growthFrom(blocks: number, nowMs: number): Lag | null {
    const [first] = lags
    if (first === undefined || nowMs - first.atMs < growthMs) return null
    const middle = lags[Math.floor(lags.length / 2)]!
    const isGrowing = blocks > first.blocks + lagBlocksUsual && blocks > middle.blocks
    return isGrowing ? first : null
  }

  function log(trouble: string, isThere: boolean, facts: Record<string, number>): void {
    if (logged.has(trouble) === isThere) return
    if (isThere) logged.add(trouble)
    else logged.delete(trouble)
    if (isThere) logger.warn({ msg: trouble, chain, ...facts })
    else logger.info({ msg: `${trouble}: no longer`, chain, ...facts })
  }

  return {
    note({ head, tipNumber, nowMs }) {
      warnings = []
      if (head === null) return
      const aheadS = head.timeS - Math.floor(nowMs / 1_000)
      const isAhead = aheadS > limits.aheadSMax
      if (isAhead) warnings.push(`the newest block is ${aheadS} s ahead of the clock`)
      log('The newest block is ahead of the clock', isAhead, { aheadS })
      if (tipNumber < 0) return
      const lagBlocks = Math.max(0, blockNumberDistance(head.number, tipNumber))
      noteLag(lagBlocks, nowMs)
      const from = growthFrom(lagBlocks, nowMs)
      if (from !== null) {
        const sinceS = Math.floor((nowMs - from.atMs) / 1_000)
        warnings.push(
          `it falls behind the nodes: ${from.blocks} blocks ${sinceS} s ago, ${lagBlocks} now`,
        )
      }
      log('Falls behind the nodes', from !== null, { lagBlocks })
    },
    warnings: () => [...warnings],
  }
}
