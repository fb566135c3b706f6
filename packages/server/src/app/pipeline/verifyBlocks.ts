import type { BlockReviewer, ChainIntake } from '../../kinds/intake.ts'
import { BoundedMap } from '../../lib/boundedMap.ts'
import type { Logger } from '../../lib/logger.ts'
import type { BlockRef } from '../../model/block.ts'
import type { DecodedBlock } from '../../model/decodedBlock.ts'
import {
  type BlockDoubt,
  type BlockVerdicts,
  disprovedBlockReason,
  type UnverifiedBlock,
} from '../../model/trust/doubt.ts'
import type { ChainReader } from '../../resolve/chainReader.ts'
import { lastReserves, type Plausibility } from '../../resolve/plausibility.ts'
import { BlockUntrueError } from '../errors.ts'

export type BlockVerifierOptions<block> = {
  chain: string
  intake: Pick<ChainIntake<block>, 'confirm' | 'decode'> & {
    reader: Pick<ChainReader, 'readReserves'>
  }
  plausibility: Plausibility
  logger: Logger
}

/**
 * A block after verification. `doubt`: why it stays unverified, since no node could confirm or
 * correct it; null: verified.
 */
type VerifiedBlock<block> = { block: block; decoded: DecodedBlock; doubt: string | null }

type Verifier<block> = {
  /** `intakeDoubt`: a reason from the intake to doubt the block; null: none. */
  verify(
    block: block,
    decoded: DecodedBlock,
    intakeDoubt: string | null,
  ): Promise<VerifiedBlock<block>>
  /** Call when the newest verified block was reverted. */
  revert(hash: string): void
}

/** Asks other nodes about implausible blocks before the blocks change anything. */
export function createBlockVerifier<block>(options: BlockVerifierOptions<block>): Verifier<block> {
  const { chain, intake, plausibility, logger } = options

  async function look(
    block: block,
    decoded: DecodedBlock,
    intakeDoubt: string | null,
  ): Promise<VerifiedBlock<block>> {
    const found = plausibility.findDoubt(decoded)
    if (found === null) return { block, decoded, doubt: intakeDoubt }
    const { reason, disagreeing } = found
    const opinion = await intake.confirm(block)
    if (opinion.type === 'right') return { block, decoded, doubt: null }
    if (opinion.type === 'alone') {
      const isRight = disagreeing !== null && (await isState(decoded, disagreeing))
      return { block, decoded, doubt: isRight ? intakeDoubt : reason }
    }
    if (opinion.type === 'wrong')
      return { block: opinion.block, decoded: intake.decode(opinion.block), doubt: null }
    const others = opinion.others.map((other) => ({ block: other, decoded: intake.decode(other) }))
    const plausible = others.find((other) => plausibility.findDoubt(other.decoded) === null)
    return { ...(plausible ?? { block, decoded }), doubt: `endpoints disagree, and ${reason}` }
  }

  /**
   * Returns whether nodes report the same reserves as the block's events. If so, the token's own
   * transfer rules explain why the transfers do not add up.
   */
  async function isState(decoded: DecodedBlock, pools: readonly string[]): Promise<boolean> {
    const { number, hash } = decoded.ref
    const asked = intake.reader.readReserves(pools, { number, hash })
    const states = await asked.catch(() => null)
    const isSame = lastReserves(decoded, pools).every(({ reserve0, reserve1 }, i) => {
      const state = states?.[i]
      return state?.reserve0 === reserve0 && state?.reserve1 === reserve1
    })
    plausibility.recordMismatch(pools, isSame)
    return isSame
  }

  return {
    async verify(block, decoded, intakeDoubt) {
      const verified = await look(block, decoded, intakeDoubt)
      const { number } = decoded.ref
      if (verified.decoded !== decoded)
        logger.warn({ msg: 'Replaced a block with the version of another endpoint', chain, number })
      if (verified.doubt !== null)
        logger.warn({ msg: 'Block is unverified', chain, number, reason: verified.doubt })
      plausibility.accept(verified.decoded)
      return verified
    },
    revert: (hash) => plausibility.revert(hash),
  }
}

export type UnverifiedBlocksOptions<block> = {
  chain: string
  /** Unverified blocks of an earlier run, oldest first. */
  known: readonly UnverifiedBlock[]
  /** Checks a block again. @default unverified blocks are not checked again */
  reviews: BlockReviewer<block> | undefined
  /** Time between two checks. @default 60_000 */
  everyMs: number | undefined
  clock: { nowMs(): number }
  logger: Logger
}

/**
 * Checks unverified blocks again, one at a time, in case a node can prove or refute their content
 * by now.
 */
export type UnverifiedBlocks<block> = {
  /**
   * Registers an unverified block and returns what the store keeps about it; null: `reason` is
   * null.
   */
  add(block: block, ref: BlockRef, reason: string | null): BlockDoubt | null
  revert(number: number): void
  /**
   * Returns verdicts since the last call, null if there are none, and starts the next check when
   * due. Throws a BlockUntrueError for an untrue block above `settledNumber`, which must be read
   * again.
   */
  takeVerdicts(settledNumber: number): BlockVerdicts | null
}

const everyMsDefault = 60_000
// Newest unverified blocks to check. Older blocks keep their mark until a later restart reaches
// them.
export const unverifiedBlocksMax = 1_000

export function createUnverifiedBlocks<block>(
  options: UnverifiedBlocksOptions<block>,
): UnverifiedBlocks<block> {
  const { chain, reviews, everyMs = everyMsDefault, clock, logger } = options
  /** Unverified blocks by number, in the order they are checked. */
  const open = new BoundedMap<number, UnverifiedBlock>(unverifiedBlocksMax)
  for (const block of options.known) open.set(block.number, block)
  const right: UnverifiedBlock[] = []
  const wrong: UnverifiedBlock[] = []
  let isAsking = false
  let againAtMs = 0

  async function ask(block: UnverifiedBlock): Promise<void> {
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
    add(block, { number, hash, parentNumber, parentHash }, reason) {
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
    takeVerdicts(settledNumber) {
      begin()
      if (right.length + wrong.length === 0) return null
      const untrue = wrong.find(({ number, parent }) => parent !== null && number > settledNumber)
      if (untrue !== undefined) throw new BlockUntrueError({ chain, since: sinceOf(untrue) })
      const settled = {
        right: right.splice(0).map(({ number }) => number),
        wrong: wrong.splice(0).map(({ number }) => {
          return { number, reason: disprovedBlockReason }
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

function sinceOf({ number, hash, parent }: UnverifiedBlock): Omit<BlockRef, 'timeS'> {
  return { number, hash, parentNumber: parent!.number, parentHash: parent!.hash }
}
