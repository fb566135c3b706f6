import type { PairState } from '../../engine/marketReads.ts'
import type { MainPairEvent } from '../../model/marketEvent.ts'
import { blockEndIndex, formatCursor } from '../chain/cursor.ts'
import type { GatewayChain } from '../chain/gatewayChain.ts'
import { PairFactsCache } from '../chain/pairFacts.ts'
import type { PushPosition } from '../chain/recentBlock.ts'
import type { RecentBlocks } from '../chain/recentBlocks.ts'
import { DayWalletCounts } from './dayWalletCounts.ts'
import type { FeedLimits } from './feedLimits.ts'
import { RevertedEvents } from './revertedEvents.ts'

/** What the feed caches of one chain: pair facts, main pairs, wallet counts and reverted events. */
export class ChainMarket {
  readonly name: string
  chain: GatewayChain
  revertedEvents: RevertedEvents
  facts: PairFactsCache
  dayWalletCounts: DayWalletCounts
  private readonly limits: FeedLimits
  /** Main pair by token. Tokens without a main pair are not cached but looked up each time. */
  private readonly mainPairs = new Map<number, number>()

  constructor(name: string, chain: GatewayChain, limits: FeedLimits) {
    this.name = name
    this.chain = chain
    this.limits = limits
    this.revertedEvents = new RevertedEvents(chain.profile.reorgDepthMax)
    this.facts = new PairFactsCache(chain, limits.factsMax)
    this.dayWalletCounts = new DayWalletCounts(limits.factsMax)
  }

  get recent(): RecentBlocks {
    return this.chain.recent
  }

  /**
   * Switches to another market of the same chain name, for example when the local chain restarts.
   */
  replace(chain: GatewayChain): void {
    this.chain = chain
    this.revertedEvents = new RevertedEvents(chain.profile.reorgDepthMax)
    this.facts = new PairFactsCache(chain, this.limits.factsMax)
    this.dayWalletCounts = new DayWalletCounts(this.limits.factsMax)
    this.mainPairs.clear()
  }

  /** Clears caches after a revert, because ids may now belong to other pairs and tokens. */
  clearCaches(): void {
    this.facts.clear()
    this.mainPairs.clear()
  }

  mainPairOf(tokenId: number): number | null {
    const known = this.mainPairs.get(tokenId)
    if (known !== undefined) return known
    const mainPairId = this.chain.reads.mainPairOf(tokenId)
    if (mainPairId !== null) this.mainPairs.set(tokenId, mainPairId)
    return mainPairId
  }

  updateMainPair({ tokenId, newPairId }: MainPairEvent): void {
    if (this.mainPairs.has(tokenId)) this.mainPairs.set(tokenId, newPairId)
  }

  isMainPair({ record, targetTokenId }: PairState): boolean {
    return this.mainPairOf(targetTokenId) === record.id
  }

  /** Cursor and times of a push that describes the market at the head, not a single event. */
  headPosition(): PushPosition {
    const head = this.chain.reads.head()
    if (head === null) return { cursor: '', cursorBefore: '', blockTimeS: null, receivedMs: null }
    const { last } = this.recent
    if (last?.ref.hash === head.hash) return last.endPosition()
    const cursor = formatCursor(head, blockEndIndex)
    return { cursor, cursorBefore: cursor, blockTimeS: head.timeS, receivedMs: null }
  }
}
