import type { Logger } from '../lib/logger.ts'
import type { DecodedBlock } from '../model/decodedBlock.ts'
import type { Plausibility } from '../resolve/plausibility.ts'
import type { Intake } from './intake.ts'

export type VerifierOptions<block> = {
  chain: string
  intake: Pick<Intake<block>, 'confirm' | 'decode'>
  plausibility: Plausibility
  logger: Logger
}

/** A block as it goes on; `doubt`: why it may not be true, though nobody could be found who tells better. */
export type VerifiedBlock = { decoded: DecodedBlock; doubt: string | null }

export type Verifier<block> = {
  /** `told`: what the chain already doubts. */
  verify(block: block, decoded: DecodedBlock, told: string | null): Promise<VerifiedBlock>
}

/** Asks for a second opinion on blocks that are not plausible, before they change anything. */
export function createVerifier<block>(options: VerifierOptions<block>): Verifier<block> {
  const { chain, intake, plausibility, logger } = options

  async function look(
    block: block,
    decoded: DecodedBlock,
    told: string | null,
  ): Promise<VerifiedBlock> {
    const reason = plausibility.doubt(decoded)
    if (reason === null) return { decoded, doubt: told }
    const opinion = await intake.confirm(block)
    if (opinion.type === 'right') return { decoded, doubt: null }
    if (opinion.type === 'alone') return { decoded, doubt: reason }
    if (opinion.type === 'wrong') return { decoded: intake.decode(opinion.block), doubt: null }
    const others = opinion.others.map((other) => intake.decode(other))
    const plausible = others.find((other) => plausibility.doubt(other) === null)
    return { decoded: plausible ?? decoded, doubt: `endpoints disagree, and ${reason}` }
  }

  return {
    async verify(block, decoded, told) {
      const verified = await look(block, decoded, told)
      const { number } = decoded.ref
      if (verified.decoded !== decoded)
        logger.warn({ msg: 'Took a block as another endpoint tells it', chain, number })
      if (verified.doubt !== null)
        logger.warn({ msg: 'Block is in doubt', chain, number, reason: verified.doubt })
      plausibility.accept(verified.decoded)
      return verified
    },
  }
}
