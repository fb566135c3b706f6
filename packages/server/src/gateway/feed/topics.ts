import type { Topic, TopicWord } from './topic.ts'
import { holders } from './topics/holders.ts'
import { kline } from './topics/kline.ts'
import { launches } from './topics/launches.ts'
import { liq } from './topics/liq.ts'
import { newPairs } from './topics/newPairs.ts'
import { price } from './topics/price.ts'
import { screener } from './topics/screener.ts'
import { trades } from './topics/trades.ts'
import { trending } from './topics/trending.ts'
import { tx } from './topics/tx.ts'
import { wallet } from './topics/wallet.ts'

/** Every topic, in the order in which error messages and docs list them. */
export const topics: readonly Topic[] = [
  tx, // and multi_tx
  liq,
  kline, // and multi_kline
  price,
  trending,
  newPairs,
  wallet,
  trades,
  launches,
  holders,
  screener,
]

/** Names that `params` of a subscribe request may begin with. */
export const topicWords: ReadonlyMap<string, TopicWord> = new Map(
  topics.flatMap(({ words }) => words.map((word) => [word.name, word])),
)
