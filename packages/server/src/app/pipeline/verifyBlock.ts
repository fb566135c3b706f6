import type { ChainIntake } from '../../kinds/intake.ts'
import type { Logger } from '../../lib/logger.ts'
import type { DecodedBlock } from '../../model/decodedBlock.ts'
import type { ChainReader } from '../../resolve/chainReader.ts'
import { lastReserves, type Plausibility } from '../../resolve/plausibility.ts'

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
