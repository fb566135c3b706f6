import { type PairState, windowsS } from '../../engine/marketReads.ts'
import type { MainPairEvent } from '../../model/marketEvent.ts'
import { blockEndIndex, formatCursor } from '../chain/cursor.ts'
import type { GatewayChain } from '../chain/gatewayChain.ts'
import { PairFactsCache } from '../chain/pairFacts.ts'
import type { PushPosition } from '../chain/recentBlock.ts'
import type { RecentBlocks } from '../chain/recentBlocks.ts'
import { WindowInputs, type WindowOwner } from '../rows/windowInputs.ts'
import type { FeedLimits } from './feed.ts'
import { RevertedEvents } from './revertedEvents.ts'

const dayWindow = windowsS.length - 1

type Counted = { makers: number; source: WindowInputs }

/**
 * Cached 24-hour counts of distinct wallets, for pairs and tokens whose prices are pushed.
 * Counting is slow, and the rate of a quote token moves many prices in each block. So a count is
 * repeated only after a trade or a revert, or when a trade leaves the 24 hours.
 */
export class DayWalletCounts {
  readonly #countMax: number
  readonly #pairs = new Map<number, Counted>()
  readonly #tokens = new Map<number, Counted>()

  constructor(countMax: number) {
    this.#countMax = countMax
  }

  count({ reads }: GatewayChain, isOf: WindowOwner, id: number, nowS: number): number {
    const counted = this.#counted(isOf, id)
    if (counted.source.isCurrent(reads, isOf, id, nowS)) return counted.makers
    const window =
      isOf === 'token'
        ? reads.tokenWindow(id, dayWindow, nowS)
        : reads.pairWindow(id, dayWindow, nowS)
    counted.makers = window.makers
    counted.source.validUntilS = window.changesAtS
    return window.makers
  }

  #counted(isOf: WindowOwner, id: number): Counted {
    const all = isOf === 'token' ? this.#tokens : this.#pairs
    let counted = all.get(id)
    if (counted === undefined) {
      if (all.size >= this.#countMax) all.clear()
      counted = { makers: 0, source: new WindowInputs() }
      all.set(id, counted)
    }
    return counted
  }
}

/** What the feed caches of one chain: pair facts, main pairs, wallet counts and reverted events. */
export class ChainMarket {
  readonly name: string
  chain: GatewayChain
  revertedEvents: RevertedEvents
  facts: PairFactsCache
  dayWalletCounts: DayWalletCounts
  readonly #limits: FeedLimits
  /** Main pair by token. Tokens without a main pair are not cached but looked up each time. */
  readonly #mainPairs = new Map<number, number>()

  constructor(name: string, chain: GatewayChain, limits: FeedLimits) {
    this.name = name
    this.chain = chain
    this.#limits = limits
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
    this.facts = new PairFactsCache(chain, this.#limits.factsMax)
    this.dayWalletCounts = new DayWalletCounts(this.#limits.factsMax)
    this.#mainPairs.clear()
  }

  /** Clears caches after a revert, because ids may now belong to other pairs and tokens. */
  clearCaches(): void {
    this.facts.clear()
    this.#mainPairs.clear()
  }

  mainPairOf(tokenId: number): number | null {
    const known = this.#mainPairs.get(tokenId)
    if (known !== undefined) return known
    const mainPairId = this.chain.reads.mainPairOf(tokenId)
    if (mainPairId !== null) this.#mainPairs.set(tokenId, mainPairId)
    return mainPairId
  }

  updateMainPair({ tokenId, newPairId }: MainPairEvent): void {
    if (this.#mainPairs.has(tokenId)) this.#mainPairs.set(tokenId, newPairId)
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
