import type { SwapEvent } from '../../model/marketEvent.ts'
import type { PairFacts } from '../chain/pairFacts.ts'
import type { OrphanBlock } from '../chain/recentBlocks.ts'
import type { PushChannel } from './channel.ts'
import { EventTopic } from './keyedTopic.ts'
import type { ItemTarget } from './params/itemKey.ts'
import type { PublishScope } from './publishScope.ts'
import type { Push } from './push.ts'
import type { ReplaySource } from './replay/replaySource.ts'
import { createTradeReplaySource, type TradeSelection } from './replay/tradeReplaySource.ts'
import { SwapPushes } from './swapPushes.ts'

/** A topic of swaps in any pair. Sends each swap to the channels that match it. */
export abstract class SwapsTopic<
  channel extends PushChannel = PushChannel,
> extends EventTopic<channel> {
  readonly publish = {
    swap: (scope: PublishScope, event: SwapEvent) => this.#publishSwap(scope, event),
  }
  readonly retract = {
    swap: (scope: PublishScope, event: SwapEvent, orphan: OrphanBlock) =>
      this.#retractSwap(scope, event, orphan),
  }

  /** Channels that a swap is sent to. */
  protected abstract channelsFor(event: SwapEvent, pair: PairFacts): Iterable<channel>
  /** Selects this topic's form of a swap's push. */
  protected abstract selectForm(pushes: SwapPushes): Push
  /** Selects the same swaps in recent blocks and in the store, for replays. */
  protected abstract selectionOf(target: ItemTarget): TradeSelection

  protected sourceOf(target: ItemTarget): ReplaySource {
    return createTradeReplaySource<SwapEvent>({
      market: this.market,
      clock: this.clock,
      kind: 'swap',
      selection: this.selectionOf(target),
      push: (swap) => this.selectForm(new SwapPushes(swap)),
    })
  }

  #publishSwap(scope: PublishScope, event: SwapEvent): void {
    const { market, block } = scope
    if (block === null || this.byKey.size === 0) return
    const pair = market.facts.get(event.swap.pairId)
    for (const channel of this.channelsFor(event, pair)) {
      const push = this.selectForm(scope.swapPushes(event, pair, block))
      channel.sendEvent(push, block.repeats?.get(event))
    }
  }

  #retractSwap(scope: PublishScope, event: SwapEvent, { block, facts }: OrphanBlock): void {
    const pair = facts.get(event.swap.pairId)
    if (pair === undefined || this.byKey.size === 0) return
    for (const channel of this.channelsFor(event, pair))
      if (channel.hasRevisions)
        channel.sendWithRevisions(this.selectForm(scope.swapPushes(event, pair, block)))
  }
}
