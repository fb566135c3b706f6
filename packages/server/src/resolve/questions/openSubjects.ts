import type { PairRecord } from '../../model/pair.ts'
import type { TokenRecord } from '../../model/token.ts'

/** Tokens and pairs of an earlier run with an open question. */
export type OpenSubjects = {
  /** Tokens whose holder count is incomplete; those that traded last, then the newest. */
  incompleteTokens: readonly TokenRecord[]
  /** Tokens and pairs whose creation was not searched to the end. */
  uncreatedTokens: readonly TokenRecord[]
  uncreatedPairs: readonly PairRecord[]
  /** Pairs whose number of shares is unknown. */
  unsharedPairs: readonly PairRecord[]
  /** Ids of all concentrated pools whose balances are unknown. */
  unknownPoolIds: Iterable<number>
  /** Pools to ask about before anybody trades. */
  unknownPools: readonly PairRecord[]
}

/**
 * Subjects whose question an earlier run answered with a block, apart from those that the block
 * created. A revert of the block opens their questions again.
 */
export type AnsweredSubjects = Partial<Omit<OpenSubjects, 'unknownPoolIds'>>

export const nothingOpen: OpenSubjects = {
  incompleteTokens: [],
  uncreatedTokens: [],
  uncreatedPairs: [],
  unsharedPairs: [],
  unknownPoolIds: [],
  unknownPools: [],
}
