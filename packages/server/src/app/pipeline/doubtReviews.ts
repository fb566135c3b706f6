import type { BlockReviews } from '../../kinds/intake.ts'
import { BoundedMap } from '../../lib/boundedMap.ts'
import type { Logger } from '../../lib/logger.ts'
import type { BlockRef } from '../../model/block.ts'
import {
  type Doubt,
  type DoubtfulBlock,
  type SettledDoubts,
  untrueReason,
} from '../../model/trust/doubt.ts'
import { BlockUntrueError } from '../errors.ts'

export type DoubtReviewsOptions<block> = {
  chain: string
  /** Unverified blocks of an earlier run, oldest first. */
  known: readonly DoubtfulBlock[]
  /** Checks a block again. @default unverified blocks are not checked again */
  reviews: BlockReviews<block> | undefined
  /** Time between two checks. @default 60_000 */
  everyMs: number | undefined
  clock: { nowMs(): number }
  logger: Logger
}

/**
 * Checks unverified blocks again, one at a time, in case a node can prove or refute their content
 * by now.
 */
export type DoubtReviews<block> = {
  /**
   * Registers an unverified block and returns what the store keeps about it; null: `reason` is
   * null.
   */
  mark(block: block, ref: BlockRef, reason: string | null): Doubt | null
  revert(number: number): void
  /**
   * Returns verdicts since the last call, null if there are none, and starts the next check when
   * due. Throws a BlockUntrueError for an untrue block above `settledNumber`, which must be read
   * again.
   */
  settle(settledNumber: number): SettledDoubts | null
}

const everyMsDefault = 60_000
// Newest unverified blocks to check. Older blocks keep their mark until a later restart reaches
// them.
export const doubtsReviewedMax = 1_000

export function createDoubtReviews<block>(
  options: DoubtReviewsOptions<block>,
): DoubtReviews<block> {
  const { chain, reviews, everyMs = everyMsDefault, clock, logger } = options
  /** Unverified blocks by number, in the order they are checked. */
  const open = new BoundedMap<number, DoubtfulBlock>(doubtsReviewedMax)
  for (const block of options.known) open.set(block.number, block)
  const right: DoubtfulBlock[] = []
  const wrong: DoubtfulBlock[] = []
  let isAsking = false
  let againAtMs = 0

  async function ask(block: DoubtfulBlock): Promise<void> {
    try {
      const found = await reviews!.review(block)
      // A reorg may have replaced the block meanwhile.
      if (found === 'unknown' || open.get(block.number) !== block) return
      open.delete(block.number)
      if (found === 'right') right.push(block)
      else wrong.push(block)
    } catch (error) {
      logger.debug({ msg: 'Failed to check an unverified block', number: block.number, error })
    } finally {
      isAsking = false
    }
  }

  /** Starts the next check in the background, if due. */
  function begin(): void {
    const nowMs = clock.nowMs()
    const block = open.values().next().value
    if (reviews === undefined || block === undefined || isAsking || nowMs < againAtMs) return
    isAsking = true
    againAtMs = nowMs + everyMs
    // Move the block to the end, so that all others are checked before it is checked again.
    open.set(block.number, block)
    void ask(block)
  }

  return {
    mark(block, { number, hash, parentNumber, parentHash }, reason) {
      if (reason === null) return null
      const digest = reviews?.digestOf(block) ?? null
      const parent = { number: parentNumber, hash: parentHash }
      if (digest !== null) open.set(number, { number, hash, digest, parent })
      return { reason, digest }
    },
    revert(number) {
      open.delete(number)
      for (const list of [right, wrong]) {
        const at = list.findIndex((block) => block.number === number)
        if (at >= 0) list.splice(at, 1)
      }
    },
    settle(settledNumber) {
      begin()
      if (right.length + wrong.length === 0) return null
      const untrue = wrong.find(({ number, parent }) => parent !== null && number > settledNumber)
      if (untrue !== undefined) throw new BlockUntrueError({ chain, since: sinceOf(untrue) })
      const settled = {
        right: right.splice(0).map(({ number }) => number),
        wrong: wrong.splice(0).map(({ number }) => {
          return { number, reason: untrueReason }
        }),
      }
      for (const number of settled.right)
        logger.info({ msg: 'Block is now verified', chain, number })
      for (const { number } of settled.wrong)
        logger.warn({
          msg: 'Stored block failed verification; it stays wrong until the chain is read again',
          chain,
          number,
        })
      return settled
    },
  }
}

function sinceOf({ number, hash, parent }: DoubtfulBlock): Omit<BlockRef, 'timeS'> {
  return { number, hash, parentNumber: parent!.number, parentHash: parent!.hash }
}
