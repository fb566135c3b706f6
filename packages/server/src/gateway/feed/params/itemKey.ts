import { type Interval, isInterval } from '@chaintape/protocol'

/** What an item's key says. `address` is empty for topics of a whole chain. */
export type ItemTarget = {
  /** The word that it was subscribed by. */
  topic: string
  chain: string
  address: string
  interval: Interval | null
  /** What is selected, of topics that take a filter: texts of a query, in one order; absent: all. */
  filter?: string
}

/** `tx:<pair>-<chain>`, `kline:<pair>-<chain>:k5`, `trending:<chain>`, `trades:<chain>:min_usd=1000`. */
export function formatItemKey(
  topic: string,
  { chain, address, interval, filter }: Omit<ItemTarget, 'topic'>,
): string {
  if (filter !== undefined) return `${topic}:${chain}:${filter}`
  if (address === '') return `${topic}:${chain}`
  const id = `${topic}:${address}-${chain}`
  return interval === null ? id : `${id}:${interval}`
}

/** The target of a key that `formatItemKey` made. */
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

/** Does it take more than a look into a table to know what it is sent? */
export function hasFilter(key: string): boolean {
  return key.startsWith('screener:') || key.startsWith('trades:')
}
