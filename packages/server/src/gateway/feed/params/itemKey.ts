import { type Interval, isInterval } from '@chaintape/protocol'

/** A parsed item key. `address` is empty for topics about a whole chain. */
export type ItemTarget = {
  /** The topic name that the client subscribed by, such as `multi_tx`. */
  topic: string
  chain: string
  address: string
  interval: Interval | null
  /**
   * Filter of the topics that accept one, as a query string in a fixed order; absent: no filter.
   */
  filter?: string
}

/**
 * Builds a key such as `tx:<pair>-<chain>`, `kline:<pair>-<chain>:k5`, `trending:<chain>` or
 * `trades:<chain>:min_usd=1000`.
 */
export function formatItemKey(
  topic: string,
  { chain, address, interval, filter }: Omit<ItemTarget, 'topic'>,
): string {
  if (filter !== undefined) return `${topic}:${chain}:${filter}`
  if (address === '') return `${topic}:${chain}`
  const id = `${topic}:${address}-${chain}`
  return interval === null ? id : `${id}:${interval}`
}

/** Parses an item key that `formatItemKey` built. */
export function parseItemKey(key: string): ItemTarget {
  const [topic, id, rest = ''] = key.split(':') as [string, string, string?]
  const interval = isInterval(rest) ? rest : null
  const at = id.lastIndexOf('-')
  if (at < 0)
    return {
      topic,
      chain: id,
      address: '',
      interval,
      ...(rest === '' ? {} : { filter: rest }),
    }
  return { topic, chain: id.slice(at + 1), address: id.slice(0, at), interval }
}

/** Whether pushes of this item are selected by a filter, which costs more than a table lookup. */
export function itemHasFilter(key: string): boolean {
  return key.startsWith('screener:') || key.startsWith('trades:')
}
