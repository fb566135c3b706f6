import type { SwapEvent } from '../../../model/marketEvent.ts'
import type { Clock } from '../../chain/gatewayChain.ts'
import type { PairFacts } from '../../chain/pairFacts.ts'
import type { OrphanBlock } from '../../chain/recentBlocks.ts'
import { AddressChannels } from '../addressIndex.ts'
import type { ChainMarket } from '../chainMarket.ts'
import type { PushChannel } from '../channel.ts'
import type { Subscriber } from '../feed.ts'
import type { ItemTarget } from '../params/itemKey.ts'
import { pairParams, tokenParams } from '../params/topicParams.ts'
import type { PublishScope } from '../publishScope.ts'
import type { ReplayParts } from '../replay/replaySource.ts'
import { EventReplay } from '../replay/topicReplay.ts'
import {
  createTradeReplaySource,
  tradesOfPair,
  tradesOfToken,
} from '../replay/tradeReplaySource.ts'
import { SwapPushes } from '../swapPushes.ts'
import type { ChainTopic, Topic } from '../topic.ts'

/** Topics `tx` and `multi_tx`: swaps of one pair, or of every pair of a token. */
export const txTopic: Topic = {
  variants: [
    { name: 'tx', params: pairParams },
    { name: 'multi_tx', params: tokenParams },
  ],
  open:
    ({ clock }) =>
    (market) =>
      new SwapTopic(market, clock),
}

class SwapTopic implements ChainTopic {
  readonly publish = {
    swap: (scope: PublishScope, event: SwapEvent) => this.#publishSwap(scope, event),
  }
  readonly retract = {
    swap: (scope: PublishScope, event: SwapEvent, orphan: OrphanBlock) =>
      this.#retractSwap(scope, event, orphan),
  }
  readonly indexes: readonly AddressChannels[]
  readonly #ofPair: AddressChannels
  readonly #ofToken: AddressChannels
  readonly #clock: Clock

  constructor(market: ChainMarket, clock: Clock) {
    this.#ofPair = new AddressChannels(market)
    this.#ofToken = new AddressChannels(market)
    this.indexes = [this.#ofPair, this.#ofToken]
    this.#clock = clock
  }

  isEmpty(): boolean {
    return this.#ofPair.size === 0 && this.#ofToken.size === 0
  }

  join(target: ItemTarget, subscriber: Subscriber, fromSeq: number): void {
    this.#indexOf(target).join(target, subscriber, fromSeq)
  }

  leave(target: ItemTarget, subscriber: Subscriber): void {
    this.#indexOf(target).leave(target, subscriber)
  }

  channels(): PushChannel[] {
    return this.indexes.flatMap((index) => index.channels())
  }

  replay(parts: ReplayParts): EventReplay {
    const { market, target } = parts
    const isOfToken = target.topic === 'multi_tx'
    const source = createTradeReplaySource<SwapEvent>({
      market,
      clock: this.#clock,
      kind: 'swap',
      selection: (isOfToken ? tradesOfToken : tradesOfPair)(market, target.address),
      push(swap) {
        const pushes = new SwapPushes(swap)
        return isOfToken ? pushes.forToken() : pushes.forPair()
      },
    })
    return new EventReplay(parts, source)
  }

  #indexOf({ topic }: ItemTarget): AddressChannels {
    return topic === 'multi_tx' ? this.#ofToken : this.#ofPair
  }

  #publishSwap(scope: PublishScope, event: SwapEvent): void {
    const { market, block } = scope
    const { pairId } = event.swap
    const ofPair = this.#ofPair.findByPair(pairId)?.value
    const ofTokens = this.#ofToken.hasTokens ? this.#tokenChannels(market.facts.get(pairId)) : none
    if (block === null || (ofPair === undefined && ofTokens.length === 0)) return
    const pushes = scope.swapPushes(event, market.facts.get(pairId), block)
    const repeat = block.repeats?.get(event)
    ofPair?.sendEvent(pushes.forPair(), repeat)
    for (const channel of ofTokens) channel.sendEvent(pushes.forToken(), repeat)
  }

  /**
   * Retracts a swap for subscribers with revisions. Channels are found by address, because the pair
   * may be gone with its block.
   */
  #retractSwap(scope: PublishScope, event: SwapEvent, { block, facts: known }: OrphanBlock): void {
    const facts = known.get(event.swap.pairId)
    if (facts === undefined) return
    const pushes = scope.swapPushes(event, facts, block)
    const ofPair = this.#ofPair.find(facts.address)?.value
    if (ofPair?.hasRevisions) ofPair.sendWithRevisions(pushes.forPair())
    for (const { address } of [facts.token0, facts.token1]) {
      const ofToken = this.#ofToken.find(address)?.value
      if (ofToken?.hasRevisions) ofToken.sendWithRevisions(pushes.forToken())
    }
  }

  #tokenChannels({ token0, token1 }: PairFacts): readonly PushChannel[] {
    const of0 = this.#ofToken.findByToken(token0.id)?.value
    const of1 = this.#ofToken.findByToken(token1.id)?.value
    if (of0 === undefined) return of1 === undefined ? none : [of1]
    return of1 === undefined ? [of0] : [of0, of1]
  }
}

const none: readonly PushChannel[] = []
