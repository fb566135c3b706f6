import { klineIntervalNames } from '../../model/kline.ts'
import type { ChainMarket } from './chainMarket.ts'
import type { AddressTopics, ChainTopics } from './chainTopics.ts'
import { Channel } from './channel.ts'
import type { ItemTarget } from './params/itemKey.ts'

/** Of a topic about the whole chain. */
export function wholeChannel(topics: ChainTopics, { topic }: ItemTarget): Channel {
  return topic === 'trending' ? topics.trending : topics.newPairs
}

/** The channel of an item, made when there is none. */
export function channelOf(market: ChainMarket, target: ItemTarget): Channel | null {
  if (target.address === '') return wholeChannel(market.topics, target)
  const topics = market.topics.open(target.address, market.chain.reads)
  switch (target.topic) {
    case 'tx':
      topics.tx ??= new Channel()
      return topics.tx
    case 'multi_tx':
      topics.multiTx ??= new Channel()
      return topics.multiTx
    case 'liq':
      topics.liq ??= new Channel()
      return topics.liq
    default:
      return target.interval === null ? null : topics.kline(target.interval).channel
  }
}

/** The channel of an item that is subscribed. */
export function existingChannel(
  topics: AddressTopics,
  { topic, interval }: ItemTarget,
): Channel | null {
  if (topic === 'tx') return topics.tx
  if (topic === 'multi_tx') return topics.multiTx
  if (topic === 'liq') return topics.liq
  if (interval === null) return null
  return topics.klines?.[klineIntervalNames.indexOf(interval)]?.channel ?? null
}
