import type { Logger } from '../../../lib/logger.ts'
import type { SupplyEvent } from '../../../model/marketEvent.ts'
import type { Clock } from '../../chain/gatewayChain.ts'
import type { TokenFacts } from '../../chain/pairFacts.ts'
import { changesHolderCount, type PushPosition, type RecentBlock } from '../../chain/recentBlock.ts'
import type { OrphanBlock } from '../../chain/recentBlocks.ts'
import { AddressIndex, type SubscribedAddress } from '../addressIndex.ts'
import type { ChainMarket } from '../chainMarket.ts'
import { PushChannel } from '../channel.ts'
import type { FeedLimits, Subscriber } from '../feed.ts'
import { needsReplay } from '../params/feedOptions.ts'
import type { ItemTarget } from '../params/itemKey.ts'
import { tokenParams } from '../params/topicParams.ts'
import type { PublishScope } from '../publishScope.ts'
import { type Push, TextPush } from '../push.ts'
import type { ReplayEvent, ReplayParts, StateSource, TopicReplay } from '../replay/replaySource.ts'
import type { ReplayStore } from '../replay/replayStore.ts'
import { StateReplay } from '../replay/topicReplay.ts'
import type { ChainTopic, Topic, TopicContext } from '../topic.ts'
import type { ResultMark } from '../tradeTexts.ts'
import {
  type HolderChange,
  type HoldersPushContent,
  holderChangesOf,
  holdersResult,
} from './holdersTexts.ts'

/**
 * Topic `holders`: the holder count and the largest holders of a token, first completely, then
 * changes.
 */
export const holdersTopic: Topic = {
  variants: [{ name: 'holders', params: tokenParams }],
  open: (context) => (market) => new HoldersTopic(market, context),
}

type FollowedToken = {
  channel: PushChannel
  /** The token's holder count after the newest entry; null: unknown. */
  count: number | null
  /**
   * Balances of the largest holders as last read from the store, largest first; null: not read yet.
   */
  top: ReadonlyMap<string, bigint> | null
  /** Number of the newest stored block when the largest holders were last read. */
  readNumber: number
  isReading: boolean
}

type FollowedEntry = SubscribedAddress<FollowedToken>

const noChanges: readonly HolderChange[] = []

// Event index of every `holders` push: a block changes the count of a token at most once.
const countIndex = 0

class HoldersTopic implements ChainTopic {
  readonly publish = {
    supply: ({ block }: PublishScope, event: SupplyEvent) => this.#publishCount(block!, event),
  }
  readonly indexes: readonly AddressIndex<FollowedToken>[]
  readonly #index: AddressIndex<FollowedToken>
  readonly #market: ChainMarket
  readonly #clock: Clock
  readonly #history: ReplayStore | null
  readonly #limits: FeedLimits
  readonly #logger: Logger
  /** Position in the round through subscribed tokens whose largest holders are read. */
  #round: Iterator<FollowedEntry, undefined> = [][Symbol.iterator]()

  constructor(market: ChainMarket, { clock, history, limits, logger }: TopicContext) {
    this.#index = new AddressIndex(market, () => ({
      channel: new PushChannel(),
      count: null,
      top: null,
      readNumber: -1,
      isReading: false,
    }))
    this.indexes = [this.#index]
    this.#market = market
    this.#clock = clock
    this.#history = history
    this.#limits = limits
    this.#logger = logger
  }

  isEmpty(): boolean {
    return this.#index.size === 0
  }

  /**
   * Adds a subscriber and sends the known state, unless a replay already did. Largest holders
   * follow once they are read.
   */
  join({ address }: ItemTarget, subscriber: Subscriber, fromSeq: number): void {
    const entry = this.#index.findOrAdd(address)
    entry.value.channel.add(subscriber, fromSeq, this.#market.recent.seq)
    entry.value.count = this.#countOf(entry)
    const state = needsReplay(subscriber.options) ? null : this.#state(address, '')
    if (state !== null) subscriber.send(state)
  }

  leave({ address }: ItemTarget, subscriber: Subscriber): void {
    const entry = this.#index.find(address)
    if (entry === undefined) return
    entry.value.channel.delete(subscriber)
    if (entry.value.channel.size === 0) this.#index.delete(entry)
  }

  channels(): PushChannel[] {
    return Array.from(this.#index.entries(), ({ value }) => value.channel)
  }

  replay(parts: ReplayParts): TopicReplay {
    return new StateReplay(parts, this.#sourceOf(parts.target))
  }

  afterRetractions(_: PublishScope, { block, tokens }: OrphanBlock): void {
    const place = block.retractedPositionOf(countIndex)
    for (const [tokenId, event] of block.holderChanges()) {
      const token = tokens.get(tokenId)
      const channel = token && this.#index.find(token.address)?.value.channel
      if (channel?.hasRevisions)
        channel.sendWithRevisions(this.#countPush(token!, event, place, 'retracted'))
    }
  }

  /**
   * Corrects counts after a revert, which has no supply events. Subscribers with revisions got
   * retractions instead.
   */
  afterEvents({ isRevert }: PublishScope, orphan: OrphanBlock | null): void {
    if (isRevert) for (const entry of this.#index.entries()) this.#correct(entry, orphan)
  }

  reloaded(): void {
    for (const entry of this.#index.entries()) this.#correct(entry, null)
  }

  /** Reads the largest holders of some tokens: those not read since the newest stored block. */
  tick(): void {
    const history = this.#history
    if (history === null || this.#index.size === 0) return
    const storedNumber = this.#market.chain.status().persistedNumber ?? -1
    let left = this.#limits.topHoldersReadsMax
    for (let looks = this.#index.size; left > 0 && looks > 0; looks -= 1) {
      const entry = this.#nextEntry()
      const { isReading, readNumber } = entry.value
      if (entry.tokenId < 0 || isReading || readNumber === storedNumber) continue
      left -= 1
      void this.#readTop(entry, history, storedNumber)
    }
  }

  /**
   * The next subscribed token whose largest holders are read; after the last token, the first
   * again.
   */
  #nextEntry(): FollowedEntry {
    const next = this.#round.next()
    if (next.done !== true) return next.value
    this.#round = this.#index.entries()[Symbol.iterator]()
    return this.#round.next().value!
  }

  async #readTop(entry: FollowedEntry, history: ReplayStore, storedNumber: number): Promise<void> {
    const { value, tokenId } = entry
    const { chain } = this.#market
    const reverts = chain.reads.revertCount()
    value.isReading = true
    try {
      const found = await history.loadTopHolders(chain, tokenId, this.#limits.topHoldersMax)
      // Ids may belong to other tokens after a revert. The next round reads again.
      if (this.#market.chain !== chain || chain.reads.revertCount() !== reverts) return
      const top = new Map(found.map(({ wallet, balance }) => [wallet, balance]))
      const changes = holderChangesOf(value.top, top)
      value.top = top
      value.readNumber = storedNumber
      if (changes.length > 0) this.#pushTop(entry, changes)
    } catch (error) {
      this.#logger.warn({ msg: 'Failed to read the largest holders', err: error })
    } finally {
      value.isReading = false
    }
  }

  #pushTop({ tokenId, value }: FollowedEntry, top: readonly HolderChange[]): void {
    const push = this.#pushNow(tokenId, { holdersBefore: value.count, top, mark: '' })
    if (push !== null) value.channel.send(push)
  }

  #publishCount(block: RecentBlock, event: SupplyEvent): void {
    const entry = this.#index.findByToken(event.supply.tokenId)
    if (entry === undefined || !changesHolderCount(event)) return
    entry.value.count = event.supply.holders
    const place = block.positionOf(countIndex)
    entry.value.channel.send(
      this.#countPush(this.#market.facts.token(entry.tokenId), event, place, ''),
    )
  }

  /**
   * Pushes a count that a revert changed. A client that misses this push resumes from the push that
   * it corrects.
   */
  #correct(entry: FollowedEntry, orphan: OrphanBlock | null): void {
    const { channel, count } = entry.value
    entry.value.count = this.#countOf(entry)
    if (entry.value.count === count) return
    const push = this.#pushNow(entry.tokenId, {
      holdersBefore: count,
      top: noChanges,
      mark: '',
      cursorBefore: orphan?.block.positionOf(countIndex).cursor,
    })
    if (push === null) return
    if (orphan === null) channel.send(push)
    else channel.sendWithoutRevisions(push)
  }

  #countOf({ tokenId }: FollowedEntry): number | null {
    return tokenId < 0 ? null : (this.#market.chain.reads.tokenSupply(tokenId)?.holders ?? null)
  }

  #sourceOf({ address }: ItemTarget): StateSource {
    const market = this.#market
    const eventOf = (token: TokenFacts, event: SupplyEvent): ReplayEvent => ({
      index: countIndex,
      push: (place, mark) => this.#countPush(token, event, place, mark),
    })
    return {
      eventsIn: (block) => {
        const tokenId = market.chain.reads.findToken(address)
        const event = tokenId === undefined ? undefined : block.holderChanges().get(tokenId)
        return event === undefined ? [] : [eventOf(market.facts.token(tokenId!), event)]
      },
      revertedEventsIn: ({ block, tokens }) => {
        const token = [...tokens.values()].find((one) => one.address === address)
        return token === undefined ? [] : [eventOf(token, block.holderChanges().get(token.id)!)]
      },
      currentState: (mark) => this.#state(address, mark),
      extraState: () => this.#largest(address),
    }
  }

  /** Push of all that is known, for a new client; null: nothing is known yet. */
  #state(address: string, mark: ResultMark): Push | null {
    const top = holderChangesOf(null, this.#index.find(address)?.value.top ?? new Map())
    return this.#pushNow(this.#tokenOf(address), { holdersBefore: null, top, mark })
  }

  /**
   * Push of the largest holders, for a client that knows the count; null: not read yet, so they
   * follow later.
   */
  #largest(address: string): Push | null {
    const entry = this.#index.find(address)
    if (entry === undefined || (entry.value.top?.size ?? 0) === 0) return null
    const top = holderChangesOf(null, entry.value.top!)
    return this.#pushNow(entry.tokenId, { holdersBefore: entry.value.count, top, mark: '' })
  }

  #tokenOf(address: string): number {
    return this.#market.chain.reads.findToken(address) ?? -1
  }

  /**
   * Push of the current state; null: nothing is known. Unless `cursorBefore` is given, a client
   * that misses the push resumes at the head.
   */
  #pushNow(
    tokenId: number,
    {
      cursorBefore,
      ...news
    }: Omit<HoldersPushContent, 'supply'> & { cursorBefore?: string | undefined },
  ): Push | null {
    const { chain, facts } = this.#market
    const supply = tokenId < 0 ? null : chain.reads.tokenSupply(tokenId)
    if (supply === null) return null
    const head = this.#market.headPosition()
    const place = { ...head, cursorBefore: cursorBefore ?? head.cursor }
    return this.#push(facts.token(tokenId), { ...news, supply }, place)
  }

  /** Push of a holder count that a block changed. */
  #countPush(
    token: TokenFacts,
    { supply, holdersBefore }: SupplyEvent,
    place: PushPosition,
    mark: ResultMark,
  ): Push {
    return this.#push(token, { supply, holdersBefore, top: noChanges, mark }, place)
  }

  #push(token: TokenFacts, news: HoldersPushContent, place: PushPosition): Push {
    const result = holdersResult(this.#market.name, token, news)
    return new TextPush({ result, place, sentMs: this.#clock.nowMs(), conflateKey: null })
  }
}
