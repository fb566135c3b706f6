import type { MarketReads } from '../../engine/marketReads.ts'

/** Whether trading windows belong to a token or a pair. */
export type WindowOwner = 'token' | 'pair'

/**
 * Inputs of computed windows, to detect changes. While the inputs are equal, so are the windows.
 */
export class WindowInputs {
  /**
   * Unix seconds at which time alone changes the windows. Set by the code that computes the
   * windows.
   */
  validUntilS = 0
  /** When the windows were computed, to detect a clock that goes back. */
  #madeAtS = 0
  #reverts = -1
  #lastTradeBlock = -1
  /** Main pair of the token; -1 for pairs, and for tokens without a main pair. */
  #mainPair = -1

  /** Returns false when time has changed the windows, or they were never computed. */
  isCurrentAt(nowS: number): boolean {
    return nowS >= this.#madeAtS && nowS < this.validUntilS
  }

  /** Returns false when the windows must be recomputed, and remembers the new inputs. */
  isCurrent(reads: MarketReads, owner: WindowOwner, id: number, nowS: number): boolean {
    const isToken = owner === 'token'
    const { lastTradeBlock } = isToken ? reads.tokenActivity(id) : reads.pairActivity(id)
    // Only a token's windows depend on its main pair; a pair's windows are always its own.
    const mainPair = isToken ? (reads.mainPairOf(id) ?? -1) : -1
    const reverts = reads.revertCount()
    if (
      this.#lastTradeBlock === lastTradeBlock &&
      this.#mainPair === mainPair &&
      this.#reverts === reverts &&
      this.isCurrentAt(nowS)
    )
      return true
    this.validUntilS = 0
    this.#madeAtS = nowS
    this.#lastTradeBlock = lastTradeBlock
    this.#mainPair = mainPair
    this.#reverts = reverts
    return false
  }
}
