import type { Config } from '../../config/schema/schema.ts'
import type { MarketReads } from '../../engine/marketReads.ts'
import { blockNumberDistance } from '../../model/block.ts'
import type { PipelineProgress } from '../pipeline/chainPipeline.ts'

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
