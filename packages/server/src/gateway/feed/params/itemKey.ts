import { type Interval, isInterval } from '@chaintape/protocol'

/** What an item's key says. `address` is empty for topics of a whole chain. */
export type ItemTarget = {
  /** The word that it was subscribed by. */
  topic: string
  chain: string
  address: string
  interval: Interval | null
}

/** `tx:<pair>-<chain>`, `kline:<pair>-<chain>:k5`, `trending:<chain>`. */
export function formatItemKey(
  topic: string,
  { chain, address, interval }: Omit<ItemTarget, 'topic'>,
): string {
  if (address === '') return `${topic}:${chain}`
  const id = `${topic}:${address}-${chain}`
  return interval === null ? id : `${id}:${interval}`
}

/** The target of a key that `formatItemKey` made. */
export function parseItemKey(key: string): ItemTarget {
  const [topic, id, intervalText = ''] = key.split(':') as [string, string, string?]
  const interval = isInterval(intervalText) ? intervalText : null
  const at = id.lastIndexOf('-')
  if (at < 0) return { topic, chain: id, address: '', interval }
  return { topic, chain: id.slice(at + 1), address: id.slice(0, at), interval }
}
