import type { SwapEvent } from '../../../model/marketEvent.ts'
import type { PairFacts } from '../../chain/pairFacts.ts'
import { PushChannel } from '../channel.ts'
import type { ItemTarget } from '../params/itemKey.ts'
import { walletListParams } from '../params/topicParams.ts'
import type { Push } from '../push.ts'
import { type TradeSelection, tradesOfWallet } from '../replay/tradeReplaySource.ts'
import type { SwapPushes } from '../swapPushes.ts'
import { SwapsTopic } from '../swapsTopic.ts'
import type { Topic } from '../topic.ts'

/** Topic `wallet`: swaps of wallets, in trusted pools. */
export const walletTopic: Topic = {
  variants: [{ name: 'wallet', params: walletListParams }],
  open:
    ({ clock }) =>
    (market) =>
      new WalletTopic(market, clock),
}

const none: readonly PushChannel[] = []

class WalletTopic extends SwapsTopic {
  protected keyOf({ address }: ItemTarget): string {
    return address
  }

  protected open(): PushChannel {
    return new PushChannel()
  }

  protected channelsFor({ swap }: SwapEvent, { isTrusted }: PairFacts): readonly PushChannel[] {
    const channel = this.byKey.get(swap.wallet)
    return channel === undefined || !isTrusted ? none : [channel]
  }

  protected selectForm(pushes: SwapPushes): Push {
    return pushes.forWallet(this.market.name)
  }

  protected selectionOf({ address }: ItemTarget): TradeSelection {
    return tradesOfWallet(this.market, address)
  }
}
