import type { MarketReads } from '../../engine/marketReads.ts'

/** Owner of the windows. */
export type SourceOf = 'token' | 'pair'

/** Inputs of computed windows. While these are equal, so are the windows. */
export class WindowSource {
  /**
   * Unix seconds from which the passing of time changes the windows; set by the code that computes
   * them.
   */
  validUntilS = 0
  /** For a clock that goes back. */
  #madeAtS = 0
  #reverts = -1
  #lastTradeBlock = -1
  /** The pair that prices a token; -1: none. */
  #mainPair = -1

  /** Returns false where time has changed the windows, or they were never made. */
  isTimeSame(nowS: number): boolean {
    return nowS >= this.#madeAtS && nowS < this.validUntilS
  }

  /** Returns false where the windows must be made again; then remembers what they will be made of. */
  isSame(reads: MarketReads, isOf: SourceOf, id: number, nowS: number): boolean {
    const isToken = isOf === 'token'
    const { lastTradeBlock } = isToken ? reads.tokenActivity(id) : reads.pairActivity(id)
    // No other pair can take the place of a pair.
    const mainPair = isToken ? (reads.mainPairOf(id) ?? -1) : -1
    const reverts = reads.revertCount()
    if (
      this.#lastTradeBlock === lastTradeBlock &&
      this.#mainPair === mainPair &&
      this.#reverts === reverts &&
      this.isTimeSame(nowS)
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
