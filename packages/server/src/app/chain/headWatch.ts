import type { Config } from '../../config/schema/schema.ts'
import type { Logger } from '../../lib/logger.ts'
import { type BlockRef, numbersApart } from '../../model/block.ts'

export type HeadLimits = {
  /** How far the newest block may be ahead of the clock. */
  aheadSMax: number
  /** How long the distance to the newest block of the nodes may grow. */
  growthSMax: number
}

type HeadFacts = {
  /** Newest block applied. */
  head: Pick<BlockRef, 'number' | 'timeS'> | null
  /** Newest block of the nodes; negative: none was reported. */
  tipNumber: number
  nowMs: number
}

/** Compares a chain's newest block with the clock and the nodes, and logs when a trouble begins and ends. */
type HeadWatch = {
  note(facts: HeadFacts): void
  /** Each a sentence without a full stop. */
  warnings(): string[]
}

type Lag = { blocks: number; atMs: number }

// What is under way at the head at any time.
const lagBlocksUsual = 8
const notesPerGrowth = 32
// Clocks of nodes and of this machine may differ by seconds.
const aheadSMax = 30
// A burst of full blocks is over sooner.
const growthSMax = 60

/** A chain whose time is not bounded may be ahead of the clock; so may the local chain, which is in no config. */
export function headLimitsOf({ chains }: Pick<Config, 'chains'>, chain: string): HeadLimits {
  const isBounded = (chains[chain]?.header_ahead_s_max ?? 0) > 0
  return {
    aheadSMax: isBounded ? aheadSMax : Number.POSITIVE_INFINITY,
    growthSMax,
  }
}

export function createHeadWatch(chain: string, limits: HeadLimits, logger: Logger): HeadWatch {
  const growthMs = limits.growthSMax * 1_000
  // Of the last `growthMs`, oldest first, about `notesPerGrowth` of them.
  let lags: Lag[] = []
  let warnings: string[] = []
  const logged = new Set<string>()

  function noteLag(blocks: number, atMs: number): void {
    const last = lags.at(-1)
    if (last !== undefined && atMs - last.atMs < growthMs / notesPerGrowth) return
    lags.push({ blocks, atMs })
    // The oldest kept is at least so old, so that a whole period is looked at.
    const first = lags.findLastIndex((lag) => atMs - lag.atMs >= growthMs)
    if (first > 0) lags = lags.slice(first)
  }

  /** Where it grew from over the whole period, if it goes on growing; catching up after a jump is none. */
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
      const lagBlocks = Math.max(0, numbersApart(head.number, tipNumber))
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
