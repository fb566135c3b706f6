import { type TrendingState, windowsS } from '../marketReads.ts'
import type { MarketState } from '../marketState.ts'
import { keepLargest } from '../tables/keepLargest.ts'
import { tokenColumn as T } from '../tables/tokenTable.ts'
import type { WindowReads } from '../windows/windowReads.ts'
import { RankedTokens } from './rankedTokens.ts'
import { factColumn as F, lookWork, TrendingFacts } from './trendingFacts.ts'

const daySeconds = 86_400
const dayWindow = windowsS.length - 1

/**
 * log2(1 + organic USD volume) x log2(1 + makers) x (1 + change / 2) x (1 + 1 / (1 + age in days)),
 * all over 24 hours. Change is a share held between -0.5 and 1. Round trips of one wallet are not in
 * organic volume, a wallet counts once on however many pairs, and more wallets or more volume alone
 * count only by their logarithm.
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

/** A ranking that is being made, and how far it has come. */
type Pass = {
  nowS: number
  /** Rows of active pairs up to this one are still to be looked at, from the last to the first. */
  pairsLeft: number
  /** Tokens when it began. */
  tokenCount: number
  scored: number
  /** Active pairs when it began. */
  pairCount: number
}

/** What a ranking has gathered of each token, by its place. Used again by the next: megabytes every few seconds would be much garbage. */
type PassLists = ReturnType<typeof createLists>

function createLists(length: number) {
  return {
    organicUsd: new Float64Array(length),
    /** Of the pair with the most. */
    makers: new Float64Array(length),
    pairCounts: new Int32Array(length),
    /** 1: one of its pairs was read again. */
    isRead: new Uint8Array(length),
    /** Places for wallets in the tables of all its pairs. */
    slots: new Float64Array(length),
    changePercent: new Float64Array(length),
    scores: new Float64Array(length),
  }
}

// A look at a pair is the unit of work.
const scoreWork = 1
/** Wallets of several pairs, each to be counted once. */
const slotsPerWork = 8
const sortWork = 0.25

/**
 * Tokens by score, best first. An order is due to be followed by the next when it is `trendingAgeMaxS` old, later where it
 * has many pairs, and given out until it is twice as old: in between whoever can wait makes the next one piece by piece.
 * One who asks where there is none to give out has it made in one go.
 */
export class Trending {
  private readonly state: MarketState
  private readonly revertCount: () => number
  private readonly facts: TrendingFacts
  private readonly windows: WindowReads
  private order: readonly number[] | null = null
  private orderedAtS = 0
  private orderedPairs = 0
  /** A block was reverted since: what is left of the order is given out, but the next one is due. */
  private isReverted = false
  private pass: Pass | null = null
  private reverts = 0
  private lists: PassLists = createLists(0)
  private tokens = new RankedTokens()
  /** Those of the ranking before, whose wallets need not be counted again where nothing has changed. */
  private tokensBefore = new RankedTokens()

  constructor(state: MarketState, windows: WindowReads, revertCount: () => number) {
    this.state = state
    this.revertCount = revertCount
    this.windows = windows
    this.facts = new TrendingFacts(state, windows)
  }

  page(nowS: number, offset: number, limit: number): readonly number[] {
    return this.orderAt(nowS).slice(offset, offset + limit)
  }

  count(nowS: number): number {
    return this.orderAt(nowS).length
  }

  /** Makes a bounded piece of the next order, if that is due. */
  prepare(nowS: number): TrendingState {
    this.look(nowS)
    if (this.pass === null && this.isYoung(nowS)) return 'fresh'
    this.advance(nowS, this.state.limits.trendingWorkMax)
    if (this.pass === null) return 'fresh'
    return this.isGiven(nowS) ? 'due' : 'none'
  }

  private orderAt(nowS: number): readonly number[] {
    this.look(nowS)
    if (!this.isGiven(nowS)) this.advance(nowS, Number.POSITIVE_INFINITY)
    return this.order ?? []
  }

  private isYoung(nowS: number): boolean {
    const isDue = this.isReverted || nowS - this.orderedAtS >= this.ageMaxS()
    return this.order !== null && !isDue && !this.isOutgrown()
  }

  private isGiven(nowS: number): boolean {
    const isOld = nowS - this.orderedAtS >= 2 * this.ageMaxS()
    return this.order !== null && !isOld && !this.isOutgrown()
  }

  /** So that ranking takes the same share of the time however large the market is. */
  private ageMaxS(): number {
    const { trendingAgeMaxS, trendingPairsPerS } = this.state.limits
    return Math.max(trendingAgeMaxS, Math.floor(this.orderedPairs / trendingPairsPerS))
  }

  /** A market that is being read for the first time has many more pairs within seconds. */
  private isOutgrown(): boolean {
    return this.state.windows.active.count > 2 * this.orderedPairs
  }

  /** Lets go of what was reverted and of what is of a later time than asked for. */
  private look(nowS: number): void {
    if (this.reverts !== this.revertCount()) {
      this.reverts = this.revertCount()
      this.facts.clear()
      this.drop()
      const tokenCount = this.state.catalog.tokenCount
      this.order = this.order?.filter((tokenId) => tokenId < tokenCount) ?? null
      this.isReverted = true
    }
    if (nowS < this.orderedAtS) this.order = null
    if (this.pass !== null && nowS < this.pass.nowS) this.drop()
  }

  /** Pairs that were read for a ranking that is not finished count as known in the next: their tokens do not. */
  private drop(): void {
    this.pass = null
    this.tokens.clear()
    this.tokensBefore.clear()
  }

  private begin(nowS: number): Pass {
    const { windows, catalog } = this.state
    const pairsLeft = windows.active.count
    this.facts.startPass()
    if (pairsLeft > this.lists.scores.length)
      this.lists = createLists(Math.max(pairsLeft, 2 * this.lists.scores.length))
    const { tokens, tokensBefore } = this
    this.tokens = tokensBefore
    this.tokensBefore = tokens
    // No more than there are pairs: each has one target token.
    this.tokens.start(pairsLeft)
    const { tokenCount } = catalog
    return { nowS, pairsLeft, tokenCount, scored: 0, pairCount: pairsLeft }
  }

  /** Work is counted and not timed: the same calls give the same orders. */
  private advance(nowS: number, workMax: number): void {
    const pass = this.pass ?? this.begin(nowS)
    this.pass = pass
    const { lists, tokens } = this
    const { active } = this.state.windows
    let work = 0
    for (; pass.pairsLeft > 0 && work < workMax; pass.pairsLeft -= 1) {
      const row = pass.pairsLeft
      // Pairs may have become quiet since; what is at the end then takes a place before it.
      if (row <= active.count) work += this.addPair(pass, row)
    }
    for (; pass.scored < tokens.count && work < workMax; pass.scored += 1) {
      work += this.score(pass, pass.scored)
    }
    // The sort is a piece of its own, unless all of it is little.
    if (work >= workMax || (work > 0 && work + tokens.count * sortWork > workMax)) return
    const scores = lists.scores.subarray(0, tokens.count)
    const { tokenIds } = tokens
    const idAt = (place: number) => tokenIds[place]!
    this.order = keepLargest(scores, this.state.limits.trendingMax, idAt).map(idAt)
    this.orderedAtS = pass.nowS
    this.orderedPairs = pass.pairCount
    this.isReverted = false
    this.pass = null
  }

  /** By its active row. */
  private addPair(pass: Pass, row: number): number {
    const { tokens, timeS, windows } = this.state
    const { facts, lists } = this
    // Blocks may have come since the ranking began: nothing that is read is of a time after it.
    const work = facts.refresh(row, Math.max(pass.nowS, timeS))
    const { data } = facts
    const at = facts.at(row)
    if (!(data[at + F.makers]! > 0)) return work
    const tokenId = data[at + F.tokenId]!
    // Of a token that came after the ranking began.
    if (tokenId >= pass.tokenCount) return work
    const tokenCount = this.tokens.count
    const place = this.tokens.placeOf(tokenId)
    if (place === tokenCount) this.clearPlace(place)
    const pairRow = windows.active.pairOf(row)
    lists.organicUsd[place]! += data[at + F.organicUsd]!
    lists.makers[place] = Math.max(lists.makers[place]!, data[at + F.makers]!)
    lists.pairCounts[place]! += 1
    if (work > lookWork) lists.isRead[place] = 1
    lists.slots[place]! += this.windows.slotsOf(row)
    const isMain = tokens.page(tokenId + 1)[tokens.at(tokenId + 1) + T.mainPair] === pairRow
    if (isMain) lists.changePercent[place] = data[at + F.changePercent]!
    return work
  }

  private clearPlace(place: number): void {
    const { lists } = this
    lists.organicUsd[place] = 0
    lists.makers[place] = 0
    lists.pairCounts[place] = 0
    lists.isRead[place] = 0
    lists.slots[place] = 0
    lists.changePercent[place] = 0
  }

  /** The token's, which is that of its main pair unless another pair was before that. */
  private changeOf(pass: Pass, place: number): number {
    const { tokens, timeS } = this.state
    const tokenId = this.tokens.tokenIds[place]!
    const token = tokens.page(tokenId + 1)
    const at = tokens.at(tokenId + 1)
    if (token[at + T.series] === 0 && token[at + T.launchRow] === 0)
      return this.lists.changePercent[place]!
    return this.windows.tokenChange(tokenId, dayWindow, Math.max(pass.nowS, timeS)) ?? 0
  }

  /** Gives the work it was. */
  private score(pass: Pass, place: number): number {
    const { lists, tokens: ranked, tokensBefore } = this
    const { tokens, timeS } = this.state
    const tokenId = ranked.tokenIds[place]!
    const row = tokenId + 1
    let makers = lists.makers[place]!
    let work = scoreWork
    const pairCount = lists.pairCounts[place]!
    if (pairCount > 1) {
      const before = lists.isRead[place] === 1 ? -1 : tokensBefore.find(tokenId)
      if (before < 0 || tokensBefore.pairCounts[before] !== pairCount) {
        ranked.makers[place] = this.windows.dayMakers(tokenId, Math.max(pass.nowS, timeS))
        work += lists.slots[place]! / slotsPerWork
      } else ranked.makers[place] = tokensBefore.makers[before]!
      ranked.pairCounts[place] = pairCount
      makers = Math.max(makers, ranked.makers[place]!)
    }
    lists.scores[place] = trendingScore({
      organicUsd: lists.organicUsd[place]!,
      makers,
      changePercent: this.changeOf(pass, place),
      ageS: pass.nowS - tokens.page(row)[tokens.at(row) + T.launchedAtS]!,
    })
    return work
  }
}
