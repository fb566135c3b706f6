import type { PairState } from '../../engine/marketReads.ts'
import type { GatewayChain } from '../gatewayChain.ts'
import type { RecentBlocks } from '../recent/recentBlocks.ts'
import { ChainTopics } from './chainTopics.ts'
import type { FeedLimits } from './feedLimits.ts'
import { PairFactsCache } from './pairFacts.ts'
import { endIndex, formatCursor } from './replay/cursor.ts'
import { RevertedTrades } from './revertedTrades.ts'
import type { PushPlace } from './textPush.ts'
import { TrendingRanks } from './trendingRanks.ts'

/** What the feed knows of one chain. */
export class ChainMarket {
  readonly name: string
  readonly topics = new ChainTopics()
  chain: GatewayChain
  revertedTrades: RevertedTrades
  facts: PairFactsCache
  trending: TrendingRanks
  private readonly limits: FeedLimits
  /** Main pairs by token, where there is one. A token without one is asked for again. */
  private readonly mainPairs = new Map<number, number>()

  constructor(name: string, chain: GatewayChain, limits: FeedLimits) {
    this.name = name
    this.chain = chain
    this.limits = limits
    this.revertedTrades = new RevertedTrades(chain.profile.reorgDepthMax)
    this.facts = new PairFactsCache(chain, limits.factsMax)
    this.trending = new TrendingRanks(limits.trendingRanksMax)
    this.topics.rebind(chain.reads)
  }

  get recent(): RecentBlocks {
    return this.chain.recent
  }

  /** Another market of the same name, as when the local chain starts again. */
  replace(chain: GatewayChain): void {
    this.chain = chain
    this.revertedTrades = new RevertedTrades(chain.profile.reorgDepthMax)
    this.facts = new PairFactsCache(chain, this.limits.factsMax)
    this.trending = new TrendingRanks(this.limits.trendingRanksMax)
    this.mainPairs.clear()
    this.topics.rebind(chain.reads)
  }

  /** After a revert: ids and records may be others. */
  forget(): void {
    const { reads } = this.chain
    this.facts.clear()
    this.mainPairs.clear()
    this.trending.clear()
    this.topics.truncate(reads.pairCount(), reads.tokenCount())
  }

  mainPairOf(tokenId: number): number | null {
    const known = this.mainPairs.get(tokenId)
    if (known !== undefined) return known
    const mainPairId = this.chain.reads.mainPairOf(tokenId)
    if (mainPairId !== null) this.mainPairs.set(tokenId, mainPairId)
    return mainPairId
  }

  setMainPair(tokenId: number, pairId: number): void {
    this.mainPairs.set(tokenId, pairId)
  }

  isMainPair({ record, targetTokenId }: PairState): boolean {
    return this.mainPairOf(targetTokenId) === record.id
  }

  /** Of a push about the market as it is now. */
  headPlace(): PushPlace {
    const head = this.chain.reads.head()
    if (head === null) return { cursor: '', cursorBefore: '', blockTimeS: null, receivedMs: null }
    const { last } = this.recent
    if (last?.ref.hash === head.hash) return last.endPlace()
    const cursor = formatCursor(head, endIndex)
    return { cursor, cursorBefore: cursor, blockTimeS: head.timeS, receivedMs: null }
  }
}
