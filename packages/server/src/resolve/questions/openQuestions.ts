import type { PairRecord } from '../../model/pair.ts'
import type { TokenRecord } from '../../model/token.ts'

/** Tokens and pairs of an earlier run with an open question. */
export type OpenQuestions = {
  /** Tokens with an incomplete holder count: most recently traded first, then the newest. */
  incompleteTokens: readonly TokenRecord[]
  /** Tokens and pairs whose creation search is unfinished. */
  uncreatedTokens: readonly TokenRecord[]
  uncreatedPairs: readonly PairRecord[]
  /** Pairs with an unknown number of liquidity-provider shares. */
  unsharedPairs: readonly PairRecord[]
  /** Ids of all concentrated pools with unknown balances. */
  unknownPoolIds: Iterable<number>
  /** Pools with unknown balances that are asked at once, before their next trade. */
  unknownPools: readonly PairRecord[]
}

/**
 * Tokens and pairs whose questions a block of an earlier run answered, without records the block
 * created. Reverting the block reopens their questions.
 */
export type AnsweredQuestions = Partial<Omit<OpenQuestions, 'unknownPoolIds'>>

export const noOpenQuestions: OpenQuestions = {
  incompleteTokens: [],
  uncreatedTokens: [],
  uncreatedPairs: [],
  unsharedPairs: [],
  unknownPoolIds: [],
  unknownPools: [],
}
