import type { Topic, TopicVariant } from './topic.ts'
import { holdersTopic } from './topics/holders.ts'
import { klineTopic } from './topics/kline.ts'
import { launchesTopic } from './topics/launches.ts'
import { liqTopic } from './topics/liq.ts'
import { newPairsTopic } from './topics/newPairs.ts'
import { priceTopic } from './topics/price.ts'
import { screenerTopic } from './topics/screener.ts'
import { tradesTopic } from './topics/trades.ts'
import { trendingTopic } from './topics/trending.ts'
import { txTopic } from './topics/tx.ts'
import { walletTopic } from './topics/wallet.ts'

/** Every topic, in the order in which error messages and docs list them. */
export const topics: readonly Topic[] = [
  txTopic, // and multi_tx
  liqTopic,
  klineTopic, // and multi_kline
  priceTopic,
  trendingTopic,
  newPairsTopic,
  walletTopic,
  tradesTopic,
  launchesTopic,
  holdersTopic,
  screenerTopic,
]

/** Names that `params` of a subscribe request may begin with. */
export const topicVariants: ReadonlyMap<string, TopicVariant> = new Map(
  topics.flatMap(({ variants }) => variants.map((word) => [word.name, word])),
)
