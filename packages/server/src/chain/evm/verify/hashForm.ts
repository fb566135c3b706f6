import type { Logger } from '../../../lib/logger.ts'

/** proven: what was told makes up the hash. false: it does not, and must. unknown: nothing can be said. */
export type Verdict = 'proven' | 'false' | 'unknown'

export type HashForm = {
  /**
   * `computed` null: some of the hashed parts are missing. `hasUnknownParts`: parts of no known form may be hashed
   * too, so a misfit says nothing about the form of blocks without them.
   */
  judge(computed: string | null, told: string, hasUnknownParts?: boolean): Verdict
}

export type HashFormOptions = {
  chain: string
  /** What is hashed, for the log. */
  what: string
  /** The chain is known to hash it as Ethereum does: one that does not fit is a lie from the first on. */
  isListed: boolean
  logger: Logger
}

// So many in a row that do not fit, and none that does: the chain, or a copy of it made for tests, has a form of its own.
const misfitsMax = 16

/**
 * Whether a chain hashes something the way Ethereum does. One that fits proves it, since no node can make one fit; from
 * then on one that does not fit is a lie.
 */
export function createHashForm({ chain, what, isListed, logger }: HashFormOptions): HashForm {
  let hasFitted = false
  let misfits = 0
  return {
    judge(computed, told, hasUnknownParts = false) {
      if (computed === null) return 'unknown'
      if (computed === told) {
        hasFitted = true
        return 'proven'
      }
      if (hasFitted) return 'false'
      if (!hasUnknownParts) misfits += 1
      if (!hasUnknownParts && misfits === misfitsMax)
        logger.warn({ msg: 'Form of hashes is not known: they are not recomputed', chain, what })
      return isListed && misfits <= misfitsMax ? 'false' : 'unknown'
    },
  }
}

// By chain id (EIP-155). Others are learnt.
const headerFormIds = new Set([
  ...[1, 11_155_111, 17_000, 560_048], // Ethereum and its test networks
  ...[10, 8_453, 130, 480, 57_073, 7_777_777, 34_443], // OP Stack: Optimism, Base, Unichain, World, Ink, Zora, Mode
  ...[56, 137, 42_161, 100], // BNB, Polygon, Arbitrum, Gnosis
])

// Without Polygon, whose receipts of what came over from Ethereum are in no root.
const receiptFormIds = new Set([...headerFormIds].filter((id) => id !== 137))

export function isReceiptFormListed(chainId: number | undefined): boolean {
  return chainId !== undefined && receiptFormIds.has(chainId)
}

export function isHeaderFormListed(chainId: number | undefined): boolean {
  return chainId !== undefined && headerFormIds.has(chainId)
}
