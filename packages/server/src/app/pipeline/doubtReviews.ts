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
  /** Of an earlier run, oldest first. */
  known: readonly DoubtfulBlock[]
  /** @default none is asked for again */
  reviews: BlockReviews<block> | undefined
  /** Time between two questions. @default 60_000 */
  everyMs: number | undefined
  clock: { nowMs(): number }
  logger: Logger
}

/** Blocks that were marked as doubtful are asked for again, one after another, when somebody else may know better. */
export type DoubtReviews<block> = {
  /** What the store keeps of a block that is in doubt for a reason; null: it is in none. */
  mark(block: block, ref: BlockRef, reason: string | null): Doubt | null
  revert(number: number): void
  /**
   * What was found out since the last time; null: nothing. Then asks for one of them, if it is time. Throws a BlockUntrueError where a block must be read again, which
   * it can be above `settledNumber`.
   */
  settle(settledNumber: number): SettledDoubts | null
}

const everyMsDefault = 60_000
// The newest; of more than these the marks stay until a restart comes to them.
export const doubtsReviewedMax = 1_000

export function createDoubtReviews<block>(
  options: DoubtReviewsOptions<block>,
): DoubtReviews<block> {
  const { chain, reviews, everyMs = everyMsDefault, clock, logger } = options
  /** By number; the one that was asked for last is the last. */
  const open = new BoundedMap<number, DoubtfulBlock>(doubtsReviewedMax)
  for (const block of options.known) open.set(block.number, block)
  const right: DoubtfulBlock[] = []
  const wrong: DoubtfulBlock[] = []
  let isAsking = false
  let againAtMs = 0

  async function ask(block: DoubtfulBlock): Promise<void> {
    try {
      const found = await reviews!.review(block)
      // It may have been reverted meanwhile, and another one be in its place.
      if (found === 'unknown' || open.get(block.number) !== block) return
      open.delete(block.number)
      if (found === 'right') right.push(block)
      else wrong.push(block)
    } catch (error) {
      logger.debug({ msg: 'Doubtful block was not told', number: block.number, error })
    } finally {
      isAsking = false
    }
  }

  /** Nothing waits for the answer. */
  function begin(): void {
    const nowMs = clock.nowMs()
    const block = open.values().next().value
    if (reviews === undefined || block === undefined || isAsking || nowMs < againAtMs) return
    isAsking = true
    againAtMs = nowMs + everyMs
    // Whatever comes of it, all others are asked for before it is again.
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
        logger.info({ msg: 'Block is in doubt no longer', chain, number })
      for (const { number } of settled.wrong)
        logger.warn({
          msg: 'Stored block is not true, until the chain is read again',
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
