import type { SwapEvent } from '../../../model/marketEvent.ts'
import type { PairFacts } from '../../chain/pairFacts.ts'
import { PushChannel } from '../channel.ts'
import type { ItemTarget } from '../params/itemKey.ts'
import { tradeFilterOf, tradesParams } from '../params/tradesParams.ts'
import type { Push } from '../push.ts'
import { createTradeTest, type TradeSelection, tradesOfChain } from '../replay/tradeSelection.ts'
import type { SwapPushes } from '../swapPushes.ts'
import { SwapsTopic } from '../swapsTopic.ts'
import type { Topic } from '../topic.ts'

/** Topic `trades`: swaps of a whole chain, or those that pass a filter. */
export const tradesTopic: Topic = {
  variants: [{ name: 'trades', params: tradesParams }],
  open:
    ({ clock }) =>
    (market) =>
      new TradesTopic(market, clock),
}

/** Subscribers to the swaps that one filter selects. */
class FilteredChannel extends PushChannel {
  readonly isOf: ReturnType<typeof createTradeTest>

  constructor(filter: string) {
    super()
    this.isOf = createTradeTest(tradeFilterOf(filter))
  }
}

class TradesTopic extends SwapsTopic<FilteredChannel> {
  protected keyOf({ filter = '' }: ItemTarget): string {
    return filter
  }

  protected open(filter: string): FilteredChannel {
    return new FilteredChannel(filter)
  }

  protected *channelsFor(event: SwapEvent, pair: PairFacts): Iterable<FilteredChannel> {
    for (const channel of this.byKey.values()) if (channel.isOf(event, pair)) yield channel
  }

  protected selectForm(pushes: SwapPushes): Push {
    return pushes.forChain()
  }

  protected selectionOf({ filter = '' }: ItemTarget): TradeSelection {
    return tradesOfChain(this.market, tradeFilterOf(filter))
  }
}
