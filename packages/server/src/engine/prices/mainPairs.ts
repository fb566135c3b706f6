import type { MainPairEvent } from '../../model/marketEvent.ts'
import type { MarketLimits } from '../marketLimits.ts'
import type { Catalog } from '../search/catalog.ts'
import type { TokenSeries } from '../series/tokenSeries.ts'
import { scaleByTen } from '../tables/bigWords.ts'
import { pairColumn, pairFlag } from '../tables/pairTable.ts'
import { RowLog } from '../tables/rowLog.ts'
import { columnNames, type RowTable } from '../tables/rowTable.ts'
import { tokenColumn, tokenPart } from '../tables/tokenTable.ts'
import type { UndoLog } from '../tables/undoLog.ts'
import type { ActivePairs } from '../windows/activePairs.ts'
import { MainPairReviews } from './mainPairReviews.ts'
import type { Rates } from './rates.ts'
import { unknownReserveDepthUsd } from './reserves.ts'

// Local alias: V8 inlines fields of a local constant, but not of an imported one.
const P = pairColumn
const T = tokenColumn

const dueColumn = { height: 0, token: 1, timeS: 2 } as const
const dueColumns = columnNames(dueColumn)

/** Position in the chain: block height and block time in seconds, never the time of a clock. */
type BlockPosition = { height: number; timeS: number }

type MainPairsOptions = {
  catalog: Catalog
  pairs: RowTable
  tokens: RowTable
  active: ActivePairs
  rates: Rates
  series: TokenSeries
  limits: MarketLimits
}

/**
 * Decides which pair prices a token. A token is judged at the end of every block that touched one
 * of its pairs, when rates have moved far enough to change the result by themselves, and when a
 * challenger has led long enough. Blocks without pool events judge nothing.
 */
export class MainPairs {
  /**
   * Challenges of main pairs, oldest first. A challenge that has ended no longer matches its
   * token's row.
   */
  readonly challenges: RowLog
  /**
   * Tokens whose main pair depends on rates: those with pairs in several quotes, and those without
   * a priced quote.
   */
  readonly reviews: MainPairReviews
  /** Tokens that got their first main pair; the caller empties the list. */
  readonly tokensWithFirstMainPair: number[] = []
  readonly #options: MainPairsOptions
  #tokensToJudge: number[] = []

  constructor(undo: UndoLog, options: MainPairsOptions) {
    this.#options = options
    this.challenges = new RowLog(undo, { name: 'challenges', columns: dueColumns })
    this.reviews = new MainPairReviews(undo)
  }

  /**
   * Marks a token for judging because one of its pairs changed in this block. The activity part of
   * the token's row must be saved.
   */
  markToken(tokenRow: number, token: Float64Array, at: number, height: number): void {
    if (token[at + T.judgedHeight] === height) return
    token[at + T.judgedHeight] = height
    this.#tokensToJudge.push(tokenRow)
  }

  /** Makes a graduated launch's pool the main pair at once. */
  graduate(tokenId: number, pairId: number, height: number, out: MainPairEvent[]): void {
    const { pairs } = this.#options
    const pairRow = pairId + 1
    const flags = pairs.page(pairRow)[pairs.at(pairRow) + P.flags]!
    if ((flags & pairFlag.mayPrice) === 0) return
    if (pairs.page(pairRow)[pairs.at(pairRow) + P.targetToken] !== tokenId) return
    this.#switchTo(tokenId + 1, pairRow, height, true, out)
    this.#tokensToJudge.push(tokenId + 1)
  }

  endBlock(now: BlockPosition, out: MainPairEvent[]): void {
    for (const tokenRow of this.#tokensToJudge) this.#judge(tokenRow, now, out)
    this.#tokensToJudge.length = 0
    const { limits, rates } = this.#options
    this.reviews.takeDue(rates.totalMovement, limits.mainPairRateChecksMax, (tokenRow, dueAt) =>
      this.#judgeWatched(tokenRow, dueAt, now, out),
    )
    const { challenges } = this
    while (challenges.head < challenges.tail) {
      const page = challenges.page(challenges.head)
      const at = challenges.at(challenges.head)
      const sinceHeight = page[at]!
      if (!this.#hasLedLongEnough(sinceHeight, page[at + dueColumn.timeS]!, now)) break
      challenges.head += 1
      this.#endChallenge(page[at + dueColumn.token]!, sinceHeight, now, out)
    }
  }

  /** Judges the token at the next movement of rates, even if its pairs do not change. */
  judgeSoon(tokenRow: number): void {
    this.#watchToken(tokenRow, this.reviews.listOf(1))
  }

  /**
   * USD value of the quote reserve of a pair at the newest rates. If the pair's reserves are
   * unknown: almost nothing for a quote asset or a platform's own curve, whose trades give the
   * weight; 0 for other tokens.
   */
  quoteSideUsd(pairRow: number): number {
    const { pairs, rates, catalog } = this.#options
    const page = pairs.page(pairRow)
    const at = pairs.at(pairRow)
    const quoteIndex = page[at + P.quoteIndex]!
    if (quoteIndex < 0 || page[at + P.price] === 0) return 0
    const quoteUsd = rates.quoteUsd(quoteIndex)
    const reserve = page[at + (page[at + P.targetSide] === 0 ? P.reserve1 : P.reserve0)]!
    if (
      reserve === 0 &&
      quoteUsd !== 0 &&
      this.#isPricedByTrades(pairRow, page[at + P.targetToken]!)
    )
      return unknownReserveDepthUsd(this.#options.active, page, at)
    return scaleByTen(reserve, -catalog.decimals(page[at + P.quoteToken]!)) * quoteUsd
  }

  /**
   * True if a challenger has led long enough. A block time before that of the challenge's first
   * block counts too, since that first time was wrong.
   */
  #hasLedLongEnough(sinceHeight: number, sinceS: number, { height, timeS }: BlockPosition) {
    const { mainPairLeadS, mainPairLeadBlocksMin } = this.#options.limits
    return (
      height - sinceHeight >= mainPairLeadBlocksMin && Math.abs(timeS - sinceS) >= mainPairLeadS
    )
  }

  #judgeWatched(tokenRow: number, dueAt: number, now: BlockPosition, out: MainPairEvent[]): void {
    const { tokens } = this.#options
    const token = tokens.page(tokenRow)
    const at = tokens.at(tokenRow)
    if (token[at + T.watchedUntil] !== dueAt) return
    tokens.save(tokenRow, tokenPart.facts)
    token[at + T.watchedUntil] = 0
    this.#judge(tokenRow, now, out)
  }

  #judge(tokenRow: number, now: BlockPosition, out: MainPairEvent[]): void {
    const { tokens, pairs, limits } = this.#options
    const token = tokens.page(tokenRow)
    const at = tokens.at(tokenRow)
    const main = token[at + T.mainPair]!
    // Nearly every token has only one pair, which is its main pair.
    if (main !== 0 && token[at + T.targetCount] === 1) return
    const mainQuote = main === 0 ? -1 : this.#quoteOf(main)
    let best = 0
    let bestUsd = 0
    let curve = 0
    // Highest value among pairs in another quote than the main pair's; -1 without such a pair.
    let otherUsd = -1
    let left = limits.tokenPairsReadMax
    for (let row = token[at + T.targetHead]!; row !== 0 && left > 0; left -= 1) {
      const page = pairs.page(row)
      const pairAt = pairs.at(row)
      if (page[pairAt + P.flags]! & pairFlag.mayPrice) {
        const usd = this.quoteSideUsd(row)
        if (usd > bestUsd) {
          best = row
          bestUsd = usd
        }
        if (usd > otherUsd && page[pairAt + P.quoteIndex] !== mainQuote) otherUsd = usd
        if (curve === 0 && this.#isPricedCurve(row)) curve = row
      }
      row = page[pairAt + P.nextTarget]!
    }
    // If no pair has reserves, the launch curve becomes the main pair: it has a price before its
    // first buyer.
    if (best === 0 && main === 0) best = curve
    if (best === 0) {
      // All values are 0 until a quote is priced, so the token is judged again when rates move.
      if (otherUsd === 0) this.#watchToken(tokenRow, this.reviews.listOf(0))
      return
    }
    if (main === 0) {
      this.#switchTo(tokenRow, best, now.height, false, out)
      this.#judge(tokenRow, now, out)
      return
    }
    const neededUsd = this.quoteSideUsd(main) * limits.mainPairLeadRatio
    const challenger = token[at + T.challenger]!
    if (challenger !== 0) {
      const usd = this.quoteSideUsd(challenger)
      if (usd >= neededUsd) {
        this.#watchLead(tokenRow, challenger, mainQuote, neededUsd / usd)
        return
      }
    }
    const isChallenged = best !== main && bestUsd >= neededUsd
    if (isChallenged || challenger !== 0) {
      tokens.save(tokenRow, tokenPart.facts)
      token[at + T.challenger] = isChallenged ? best : 0
      token[at + T.challengerHeight] = isChallenged ? now.height : 0
    }
    if (!isChallenged) {
      if (otherUsd >= 0) this.#watchToken(tokenRow, this.reviews.listOf(otherUsd / neededUsd))
      return
    }
    this.#watchLead(tokenRow, best, mainQuote, neededUsd / bestUsd)
    const row = this.challenges.append()
    const page = this.challenges.page(row)
    const dueAt = this.challenges.at(row)
    page[dueAt + dueColumn.height] = now.height
    page[dueAt + dueColumn.token] = tokenRow
    page[dueAt + dueColumn.timeS] = now.timeS
  }

  /** Watches a lead that depends on rates. In the main pair's own quote it does not. */
  #watchLead(tokenRow: number, challenger: number, mainQuote: number, neededShare: number): void {
    if (this.#quoteOf(challenger) !== mainQuote)
      this.#watchToken(tokenRow, this.reviews.listOf(neededShare))
  }

  /**
   * Adds the token to a list. An earlier entry suffices: after its check the token is added again.
   */
  #watchToken(tokenRow: number, list: number): void {
    const { tokens, rates } = this.#options
    const token = tokens.page(tokenRow)
    const at = tokens.at(tokenRow)
    const dueAt = this.reviews.dueAt(list, rates.totalMovement)
    const known = token[at + T.watchedUntil]!
    if (known !== 0 && known <= dueAt) return
    tokens.save(tokenRow, tokenPart.facts)
    token[at + T.watchedUntil] = dueAt
    this.reviews.add(list, dueAt, tokenRow)
  }

  #isPricedByTrades(pairRow: number, tokenId: number): boolean {
    const { catalog } = this.#options
    return catalog.quoteIndex(tokenId) >= 0 || catalog.platform(pairRow - 1) !== null
  }

  /** True if the pair is a platform's launch curve whose quote has a price. */
  #isPricedCurve(pairRow: number): boolean {
    const { pairs, rates, catalog } = this.#options
    const page = pairs.page(pairRow)
    const at = pairs.at(pairRow)
    if (page[at + P.price] === 0 || rates.quoteUsd(page[at + P.quoteIndex]!) === 0) return false
    return catalog.platform(pairRow - 1) !== null
  }

  #quoteOf(pairRow: number): number {
    const { pairs } = this.#options
    return pairs.page(pairRow)[pairs.at(pairRow) + P.quoteIndex]!
  }

  #endChallenge(
    tokenRow: number,
    sinceHeight: number,
    now: BlockPosition,
    out: MainPairEvent[],
  ): void {
    const { tokens, limits } = this.#options
    const token = tokens.page(tokenRow)
    const at = tokens.at(tokenRow)
    const challenger = token[at + T.challenger]!
    if (challenger === 0 || token[at + T.challengerHeight] !== sinceHeight) return
    const neededUsd = this.quoteSideUsd(token[at + T.mainPair]!) * limits.mainPairLeadRatio
    tokens.save(tokenRow, tokenPart.facts)
    if (this.quoteSideUsd(challenger) >= neededUsd) {
      this.#switchTo(tokenRow, challenger, now.height, false, out)
      // A third pair may have more than the new main pair.
      this.#judge(tokenRow, now, out)
    } else {
      token[at + T.challenger] = 0
      token[at + T.challengerHeight] = 0
    }
  }

  #switchTo(
    tokenRow: number,
    pairRow: number,
    height: number,
    isGraduation: boolean,
    out: MainPairEvent[],
  ): void {
    const { tokens, series } = this.#options
    tokens.save(tokenRow, tokenPart.facts)
    const token = tokens.page(tokenRow)
    const at = tokens.at(tokenRow)
    const old = token[at + T.mainPair]!
    token[at + T.mainPair] = pairRow
    token[at + T.challenger] = 0
    token[at + T.challengerHeight] = 0
    if (old !== pairRow && (old !== 0 || token[at + T.series] !== 0))
      series.switchMainPair(tokenRow, old, pairRow, height)
    if (old === 0) this.tokensWithFirstMainPair.push(tokenRow - 1)
    // A first main pair is not reported as a switch: no price was served before it.
    if (old === 0 || old === pairRow) return
    out.push({
      type: 'mainPair',
      tokenId: tokenRow - 1,
      oldPairId: old - 1,
      newPairId: pairRow - 1,
      isGraduation,
    })
  }
}
