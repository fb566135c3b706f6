import { windowsS } from './marketReads.ts'
import type { MarketState } from './marketState.ts'
import { pairColumn as P, pairFlag } from './pairTable.ts'
import { tokenColumn as T } from './tokenTable.ts'
import { readPairWindow } from './windowReads.ts'

const dayWindow = windowsS.length - 1
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

type Candidate = { organicUsd: number; makers: number; changePercent: number }

/** Tokens by score, best first. The order is kept while neither time nor chain has moved enough. */
export class Trending {
  private readonly state: MarketState
  private readonly revertCount: () => number
  private order: readonly number[] = []
  private orderedAtS = Number.NEGATIVE_INFINITY
  private orderedReverts = -1

  constructor(state: MarketState, revertCount: () => number) {
    this.state = state
    this.revertCount = revertCount
  }

  page(nowS: number, offset: number, limit: number): readonly number[] {
    return this.orderAt(nowS).slice(offset, offset + limit)
  }

  count(nowS: number): number {
    return this.orderAt(nowS).length
  }

  private orderAt(nowS: number): readonly number[] {
    const ageS = nowS - this.orderedAtS
    const isFresh = ageS >= 0 && ageS < this.state.limits.trendingAgeMaxS
    if (!isFresh || this.orderedReverts !== this.revertCount()) {
      this.order = this.rank(nowS)
      this.orderedAtS = nowS
      this.orderedReverts = this.revertCount()
    }
    return this.order
  }

  private rank(nowS: number): readonly number[] {
    const { windows, tokens, limits } = this.state
    const candidates = new Map<number, Candidate>()
    for (let row = 1; row < windows.active.count; row += 1)
      this.addPair(windows.active.page(row)[windows.active.at(row)]!, nowS, candidates)
    const scores = [...candidates].map(([tokenId, candidate]) => {
      const launchedAtS = tokens.page(tokenId + 1)[tokens.at(tokenId + 1) + T.launchedAtS]!
      return { tokenId, score: trendingScore({ ...candidate, ageS: nowS - launchedAtS }) }
    })
    scores.sort((a, b) => b.score - a.score || a.tokenId - b.tokenId)
    return scores.slice(0, limits.trendingMax).map(({ tokenId }) => tokenId)
  }

  /** Only trusted pairs count: any contract can say that it was traded. */
  private addPair(pairRow: number, nowS: number, candidates: Map<number, Candidate>): void {
    const { pairs, tokens } = this.state
    const page = pairs.page(pairRow)
    const at = pairs.at(pairRow)
    if ((page[at + P.flags]! & pairFlag.mayPrice) === 0) return
    const tokenId = page[at + P.targetToken]!
    const window = readPairWindow(this.state, pairRow - 1, dayWindow, nowS)
    if (window.makers === 0) return
    const candidate = candidates.get(tokenId) ?? { organicUsd: 0, makers: 0, changePercent: 0 }
    candidate.organicUsd += Number(window.organicVolumeUsdE8) / 1e8
    candidate.makers += window.makers
    const isMain = tokens.page(tokenId + 1)[tokens.at(tokenId + 1) + T.mainPair] === pairRow
    if (isMain) candidate.changePercent = window.changePercent ?? 0
    candidates.set(tokenId, candidate)
  }
}
