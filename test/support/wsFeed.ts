// A feed with two topics and no market: the test decides what it pushes.

import type {
  Feed,
  FeedItem,
  FeedOptions,
  Subscriber,
} from '../../packages/server/src/gateway/feed/feed.ts'
import type { Push } from '../../packages/server/src/gateway/feed/push.ts'
import { RequestError } from '../../packages/server/src/gateway/ground/errors.ts'

const plainOptions: FeedOptions = {
  since: null,
  snapshot: false,
  revisions: false,
  heartbeatS: null,
}

export type TestFeed = Feed & {
  publish(key: string, push: Push): void
  subscriberCount(): number
  /** Sent to each new subscriber at once, like first prices. */
  firstPush: Push | null
  /** Called with each new subscriber, like a replay. */
  onAdd: ((subscriber: Subscriber) => unknown) | null
  ticks: number
}

export function createTestFeed(): TestFeed {
  const byKey = new Map<string, Set<Subscriber>>()
  const feed: TestFeed = {
    name: 'feed',
    firstPush: null,
    onAdd: null,
    ticks: 0,
    *parse(params) {
      const options = optionsOf(params.at(-1))
      const [topic, ...rest] = options === null ? params : params.slice(0, -1)
      if (topic !== 'tx' && topic !== 'price')
        throw new RequestError('invalid_param', 'There is no such topic.', 'topic')
      const names = topic === 'tx' ? [rest] : Array.isArray(rest[0]) ? rest[0] : []
      if (names.length === 0) throw new RequestError('missing_param', 'Nothing is named.', 'ids')
      const items = [...new Set(names)].filter(isUsable).map((param) => itemOf(topic, param))
      const rejected = names
        .filter((name) => !isUsable(name))
        .map((param) => ({ param, reason: 'not an id' }))
      return {
        topic,
        items,
        rejected,
        options: options ?? plainOptions,
        hasOptions: options !== null,
      }
    },
    add(item, subscriber) {
      let subscribers = byKey.get(item.key)
      if (subscribers === undefined) {
        subscribers = new Set()
        byKey.set(item.key, subscribers)
      }
      subscribers.add(subscriber)
      if (feed.firstPush !== null) subscriber.send(feed.firstPush)
      feed.onAdd?.(subscriber)
    },
    remove(item, subscriber) {
      if (!byKey.get(item.key)?.delete(subscriber)) throw new Error(`${item.key} was not added`)
      if (byKey.get(item.key)!.size === 0) byKey.delete(item.key)
    },
    onApplied() {},
    tick() {
      feed.ticks += 1
    },
    publish(key, push) {
      for (const subscriber of byKey.get(key) ?? []) subscriber.send(push)
    },
    subscriberCount: () => [...byKey.values()].reduce((sum, { size }) => sum + size, 0),
  }
  return feed
}

function isUsable(name: unknown): boolean {
  const parts = Array.isArray(name) ? name : [name]
  return parts.length > 0 && parts.every((part) => typeof part === 'string' && /^\w+$/.test(part))
}

function itemOf(topic: string, param: unknown): FeedItem {
  return { key: `${topic}:${Array.isArray(param) ? param.join('-') : param}`, param }
}

function optionsOf(last: unknown): FeedOptions | null {
  if (typeof last !== 'object' || last === null || Array.isArray(last)) return null
  return { ...plainOptions, snapshot: (last as { snapshot?: unknown }).snapshot === true }
}

/** A push whose text is a number, padded to a size. */
export function pushOf(
  number: number,
  { conflateKey = null, padBytes = 0 }: { conflateKey?: string | null; padBytes?: number } = {},
): Push {
  const text = `,"jsonrpc":"2.0","result":{"n":${number},"pad":"${'x'.repeat(padBytes)}"}`
  return {
    plain: Buffer.from(`${text}}`),
    detailed: () => Buffer.from(`${text},"cursor":"${number}"}`),
    conflateKey,
    cursor: `cursor-${number}`,
  }
}
