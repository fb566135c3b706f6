import { keepLargest } from './keepLargest.ts'
import type { MarketState } from './marketState.ts'
import { tokenColumn as T } from './tokenTable.ts'
import { TrendingFacts } from './trendingFacts.ts'

const daySeconds = 86_400

/**
 * log2(1 + organic USD volume) x log2(1 + makers) x (1 + change / 2) x (1 + 1 / (1 + age in days)),
 * all over 24 hours. Change is a share held between -0.5 and 1. Round trips of one wallet are not in
 * organic volume, and more wallets or more volume alone count only by their logarithm.
 */
export function trendingScore(facts: {
  organicUsd: number
  makers: number
  changePercent: number
  ageS: number
}): number {
  const change = Math.min(1, Math.max(-0.5, facts.changePercent / 100))
  const age = 1 + 1 / (1 + Math.max(0, facts.ageS) / daySeconds)
  return Math.log2(1 + facts.organicUsd) * Math.log2(1 + facts.makers) * (1 + change / 2) * age
}

/** A ranking that is being made: how far it has come, and what it has gathered of each token. */
type Pass = {
  nowS: number
  /** Rows of active pairs up to this one are still to be looked at, from the last to the first. */
  pairsLeft: number
  /** By token id: its place in the lists below, plus 1. */
  places: Int32Array
  count: number
  tokenIds: Int32Array
  organicUsd: Float64Array
  makers: Float64Array
  changePercent: Float64Array
  scores: Float64Array
  scored: number
}

// A look at a pair is the unit of work.
const scoreWork = 1

/**
 * Tokens by score, best first. An order is served until it is `trendingAgeMaxS` old; then the next one is made, a
 * bounded piece with each call, while the old one is still given out. It is finished in one go where there is none to
 * give out, or only one that is too old by as much again.
 */
export class Trending {
  private readonly state: MarketState
  private readonly revertCount: () => number
  private readonly facts: TrendingFacts
  private order: readonly number[] | null = null
  private orderedAtS = 0
  private pass: Pass | null = null
  private reverts = 0

  constructor(state: MarketState, revertCount: () => number) {
    this.state = state
    this.revertCount = revertCount
    this.facts = new TrendingFacts(state)
  }

  page(nowS: number, offset: number, limit: number): readonly number[] {
    return this.orderAt(nowS).slice(offset, offset + limit)
  }

  count(nowS: number): number {
    return this.orderAt(nowS).length
  }

  private orderAt(nowS: number): readonly number[] {
    const { trendingAgeMaxS, trendingWorkMax } = this.state.limits
    const isReverted = this.reverts !== this.revertCount()
    if (isReverted) this.forget()
    const ageS = nowS - this.orderedAtS
    if (this.order !== null && ageS < 0) this.order = null
    if (this.order !== null && !isReverted && this.pass === null && ageS < trendingAgeMaxS)
      return this.order
    if (this.pass !== null && nowS < this.pass.nowS) this.pass = null
    this.pass ??= this.begin(nowS)
    const isWhole = this.order === null || ageS >= 2 * trendingAgeMaxS
    this.advance(this.pass, isWhole ? Number.POSITIVE_INFINITY : trendingWorkMax)
    return this.order ?? []
  }

  /** What was taken back may be in the order and in what is known of pairs. */
  private forget(): void {
    this.reverts = this.revertCount()
    this.facts.clear()
    this.pass = null
    const tokenCount = this.state.catalog.tokens.current.length
    this.order = this.order?.filter((tokenId) => tokenId < tokenCount) ?? null
  }

  private begin(nowS: number): Pass {
    const { windows, catalog } = this.state
    const pairsLeft = windows.active.count - 1
    this.facts.startPass()
    return {
      ...{ nowS, pairsLeft, count: 0, scored: 0 },
      places: new Int32Array(catalog.tokens.current.length),
      tokenIds: new Int32Array(pairsLeft),
      organicUsd: new Float64Array(pairsLeft),
      makers: new Float64Array(pairsLeft),
      changePercent: new Float64Array(pairsLeft),
      scores: new Float64Array(pairsLeft),
    }
  }

  /** Work is counted and not timed: the same calls give the same orders. */
  private advance(pass: Pass, workMax: number): void {
    const { active } = this.state.windows
    let work = 0
    for (; pass.pairsLeft > 0 && work < workMax; pass.pairsLeft -= 1) {
      const row = pass.pairsLeft
      // Pairs may have become quiet since; what is at the end then takes a place before it.
      if (row < active.count) work += this.addPair(pass, active.page(row)[active.at(row)]!)
    }
    for (; pass.scored < pass.count && work < workMax; pass.scored += 1) {
      this.score(pass, pass.scored)
      work += scoreWork
    }
    // The sort is a piece of its own.
    if (work >= workMax) return
    const scores = pass.scores.subarray(0, pass.count)
    const places = keepLargest(
      scores,
      this.state.limits.trendingMax,
      (place) => pass.tokenIds[place]!,
    )
    this.order = places.map((place) => pass.tokenIds[place]!)
    this.orderedAtS = pass.nowS
    this.pass = null
  }

  private addPair(pass: Pass, pairRow: number): number {
    const { tokens, timeS } = this.state
    const { facts } = this
    // Blocks may have come since the ranking began: nothing that is read is of a time after it.
    const work = facts.refresh(pairRow, Math.max(pass.nowS, timeS))
    if (!(facts.makers[pairRow]! > 0)) return work
    const tokenId = facts.tokenIds[pairRow]!
    // Of a token that came after the ranking began.
    if (tokenId >= pass.places.length) return work
    let place = pass.places[tokenId]! - 1
    if (place < 0) {
      place = pass.count
      pass.count += 1
      pass.places[tokenId] = place + 1
      pass.tokenIds[place] = tokenId
    }
    pass.organicUsd[place]! += facts.organicUsd[pairRow]!
    pass.makers[place]! += facts.makers[pairRow]!
    const isMain = tokens.page(tokenId + 1)[tokens.at(tokenId + 1) + T.mainPair] === pairRow
    if (isMain) pass.changePercent[place] = facts.changePercent[pairRow]!
    return work
  }

  private score(pass: Pass, place: number): void {
    const { tokens } = this.state
    const row = pass.tokenIds[place]! + 1
    pass.scores[place] = trendingScore({
      organicUsd: pass.organicUsd[place]!,
      makers: pass.makers[place]!,
      changePercent: pass.changePercent[place]!,
      ageS: pass.nowS - tokens.page(row)[tokens.at(row) + T.launchedAtS]!,
    })
  }
}
