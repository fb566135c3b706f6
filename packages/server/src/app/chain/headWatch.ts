import type { Config } from '../../config/schema/schema.ts'
import type { Logger } from '../../lib/logger.ts'
import { type BlockRef, blockNumberDistance } from '../../model/block.ts'

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
