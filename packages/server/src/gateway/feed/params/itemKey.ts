import { type Interval, isInterval } from '@chaintape/protocol'

export const feedTopics = [
  'tx',
  'multi_tx',
  'liq',
  'kline',
  'multi_kline',
  'price',
  'trending',
  'new_pairs',
] as const

export type FeedTopic = (typeof feedTopics)[number]

/** What an item's key says. `address` is empty for topics of a whole chain. */
export type ItemTarget = {
  topic: FeedTopic
  chain: string
  address: string
  interval: Interval | null
}

export function isFeedTopic(text: unknown): text is FeedTopic {
  return typeof text === 'string' && (feedTopics as readonly string[]).includes(text)
}

/** `tx:<pair>-<chain>`, `kline:<pair>-<chain>:k5`, `trending:<chain>`. */
export function formatItemKey({ topic, chain, address, interval }: ItemTarget): string {
  if (address === '') return `${topic}:${chain}`
  const id = `${topic}:${address}-${chain}`
  return interval === null ? id : `${id}:${interval}`
}

/** The target of a key that `formatItemKey` made. */
export function parseItemKey(key: string): ItemTarget {
  const [topic, id, intervalText = ''] = key.split(':') as [FeedTopic, string, string?]
  const interval = isInterval(intervalText) ? intervalText : null
  const at = id.lastIndexOf('-')
  if (at < 0) return { topic, chain: id, address: '', interval }
  return { topic, chain: id.slice(at + 1), address: id.slice(0, at), interval }
}
