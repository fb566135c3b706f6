// Limits on the subscriptions of all sockets together, and how subscriptions end.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, expect, test, vi } from 'vitest'
import { runAllSteps } from '../../../../../../test/support/runAllSteps.ts'
import { until } from '../../../../../../test/support/until.ts'
import { createTestFeed, pushOf } from '../../../../../../test/support/wsFeed.ts'
import {
  holderOf,
  keysOf,
  planWithoutLimits,
  rpc,
  startWsService,
  type WsService,
} from '../../../../../../test/support/wsService.ts'
import { createLogger } from '../../../lib/logger.ts'
import type { FeedItem, FeedRequest } from '../../feed/feed.ts'
import type { Push } from '../../feed/push.ts'
import { createScheduler } from '../../ground/scheduler.ts'
import { itemsPerStep } from '../../ground/steps.ts'
import { answerMessage } from '../answerMessage.ts'
import type { Outbox } from '../sending/outbox.ts'
import { createWsStats } from '../wsStats.ts'
import { ItemTable } from './itemTable.ts'
import type { Subscription } from './subscription.ts'
import {
  estimatedBytes,
  fixedSubscribeRateLimits,
  SubscriptionBudget,
  type SubscriptionLimits,
} from './subscriptionLimits.ts'
import {
  createDroppedSubscriptions,
  type SubscribedItems,
  SubscriptionSet,
} from './subscriptionSet.ts'

let service: WsService | undefined
afterEach(async () => {
  vi.restoreAllMocks()
  await service?.stop()
  service = undefined
})

const wide: SubscriptionLimits = {
  bytesMax: 1e12,
  keyBytesMax: 1e12,
  unknownItemsMax: 1e9,
  keyUnknownItemsMax: 1e9,
  filtersMax: 1e9,
  keyFiltersMax: 1e9,
  subscribeRate: fixedSubscribeRateLimits,
}
const item = (key: string, isUnknown = false): FeedItem => ({
  key,
  param: key,
  ...(isUnknown ? { isUnknown } : {}),
})

/** Subscribes to items that the set does not contain. */
const addAll = (set: SubscriptionSet, request: FeedRequest, id: number) =>
  runAllSteps(set.add(request, request.items, id))

test('behavior: distinct filters are counted per key and in total, not their subscribers', () => {
  const budget = new SubscriptionBudget({ ...wide, filtersMax: 3, keyFiltersMax: 2 })
  const topics = ['trades', 'screener', 'screener', 'trades']
  const filter = (usd: number) => item(`${topics[usd - 1]}:local:min_usd=${usd}`)
  const limitOf = (keyId: number, items: FeedItem[]) =>
    budget.limitExceededBy(keyId, items)?.limit ?? null
  expect(limitOf(1, [filter(1), filter(2)])).toBe(null)
  expect(limitOf(1, [filter(1), filter(2), filter(3)])).toBe('key_filters_max')
  for (const usd of [1, 1, 2]) budget.take(1, filter(usd))
  expect(limitOf(1, [filter(3)])).toBe('key_filters_max')
  expect(limitOf(1, [filter(2)])).toBe(null)
  budget.take(2, filter(3))
  expect(limitOf(2, [filter(4)])).toBe('filters_max')
  // A filter that another key already uses does not count again.
  expect(limitOf(2, [filter(2)])).toBe(null)
  budget.release(1, filter(1))
  expect(limitOf(2, [filter(4)])).toBe('filters_max')
  budget.release(1, filter(1))
  expect(limitOf(2, [filter(4)])).toBe(null)
})

test('default: limits hold for memory and for unknown items, per key and in total', () => {
  const bytes = estimatedBytes(item('a'))
  const limits = {
    bytesMax: bytes * 4,
    keyBytesMax: bytes * 3,
    unknownItemsMax: 3,
    keyUnknownItemsMax: 2,
    filtersMax: 3,
    keyFiltersMax: 2,
    subscribeRate: fixedSubscribeRateLimits,
  }
  const budget = new SubscriptionBudget(limits)
  const limitOf = (keyId: number, items: FeedItem[]) =>
    budget.limitExceededBy(keyId, items)?.limit ?? null
  expect(limitOf(1, [item('a'), item('b'), item('c')])).toBe(null)
  expect(
    limitOf(
      1,
      ['a', 'b', 'c', 'd'].map((key) => item(key)),
    ),
  ).toBe('key_subscription_bytes_max')
  expect(limitOf(1, [item('a', true), item('b', true), item('c', true)])).toBe(
    'key_unknown_items_max',
  )
  for (const key of ['a', 'b']) budget.take(1, item(key, true))
  expect(limitOf(1, [item('c', true)])).toBe('key_unknown_items_max')
  expect(limitOf(1, [item('c')])).toBe(null)
  expect(limitOf(2, [item('c', true), item('d', true)])).toBe('unknown_items_max')
  budget.take(1, item('c'))
  expect(limitOf(2, [item('d'), item('e')])).toBe('subscription_bytes_max')
  for (const key of ['a', 'b']) budget.release(1, item(key, true))
  expect(limitOf(2, [item('d', true), item('e', true)])).toBe(null)
})

test('behavior: the limit holds over all sockets of a key, even on an unlimited plan', async () => {
  const keyBytesMax = estimatedBytes(item('price:a')) * 3
  service = await startWsService({
    keys: keysOf({ key: holderOf(1), other: holderOf(2) }),
    limits: { subscriptions: { ...wide, keyBytesMax } },
  })
  const [first, second] = [await service.connect(), await service.connect()]
  const other = await service.connect('/?api_key=other')
  expect(await first.call(rpc('subscribe', ['price', ['a', 'b']]))).toHaveProperty('result')
  expect(await second.call(rpc('subscribe', ['price', ['a', 'b']]))).toMatchObject({
    error: { code: -32000, data: { limit: 'key_subscription_bytes_max', max: keyBytesMax } },
  })
  expect(await second.call(rpc('subscribe', ['price', ['a']]))).toHaveProperty('result')
  // Items that are already subscribed take no further memory.
  expect(await first.call(rpc('subscribe', ['price', ['a', 'b']]))).toHaveProperty('result')
  expect(await other.call(rpc('subscribe', ['price', ['a', 'b', 'c']]))).toHaveProperty('result')
  first.webSocket.terminate()
  await vi.waitFor(
    async () =>
      expect(await second.call(rpc('subscribe', ['price', ['c', 'd']]))).toHaveProperty('result'),
    20_000,
  )
})

test('behavior: a great many dropped subscriptions are removed in slots, and get no pushes', async () => {
  const scheduler = createScheduler()
  const dropped: string[] = []
  const busy = 200_000
  const { add } = createDroppedSubscriptions(scheduler, createLogger('silent'), (key) => {
    dropped.push(key)
  })
  const byKey = new ItemTable()
  const subscription = {} as Subscription
  for (let at = 0; at < busy; at += 1) byKey.add(`${at}`, { subscription, isUnknown: false })
  // A clock that advances by a tenth of a scheduler slot at each read.
  let nowMs = performance.now()
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
    nowMs += 0.2
    return nowMs
  })
  add({ byKey, originalParams: new Map() }, 1)
  expect(dropped.length).toBeGreaterThan(0)
  expect(dropped.length).toBeLessThan(1_000)
  let answered = 0
  for (; dropped.length < busy; answered += 1) {
    const before = dropped.length
    await new Promise<void>((resolve) => scheduler.run(resolve))
    await nextTurn()
    expect(dropped.length - before).toBeLessThan(2_000)
  }
  clock.mockRestore()
  expect(answered).toBeGreaterThan(100)
  expect(new Set(dropped).size).toBe(busy)
})

test('behavior: unsubscribing from everything lists the items, up to a number', async () => {
  service = await startWsService()
  const client = await service.connect()
  const ids = Array.from({ length: 10_001 }, (_, at) => `id${at}`)
  await client.call(rpc('subscribe', ['price', ids]))
  const answer = (await client.call(rpc('unsubscribe', []))) as {
    result: { unsubscribed: string[]; unsubscribed_count?: number }
  }
  expect(answer.result.unsubscribed).toEqual(ids.slice(0, 10_000))
  expect(answer.result.unsubscribed_count).toBe(10_001)
  expect(service.server.stats().subscriptions).toBe(0)
  await vi.waitFor(() => expect(service!.feed.subscriberCount()).toBe(0), 20_000)
  expect(await client.call(rpc('unsubscribe', []))).toMatchObject({ result: { unsubscribed: [] } })
})

test('behavior: a dropped item gets no pushes, even while the feed still lists it', () => {
  const feed = createTestFeed()
  const pushes: Push[] = []
  const outbox = { send: (_to: unknown, push: Push) => void pushes.push(push) } as Outbox
  const left: string[] = []
  const set = new SubscriptionSet(outbox, {
    feed,
    stats: createWsStats(),
    budget: new SubscriptionBudget(wide),
    drop: ({ byKey }) => void left.push(...byKey.keys()),
  })
  const scheduler = createScheduler()
  void set.start(addAll(set, runAllSteps(feed.parse(['price', ['a', 'b']])), 1), scheduler, 1)
  feed.publish('price:a', pushOf(1))
  set.clear()
  feed.publish('price:a', pushOf(2))
  expect(pushes).toHaveLength(1)
  expect([left.length, feed.subscriberCount(), set.size]).toEqual([2, 2, 0])
  // Subscribing to an item again makes a new subscription.
  void set.start(addAll(set, runAllSteps(feed.parse(['price', ['a']])), 2), scheduler, 2)
  feed.publish('price:a', pushOf(3))
  expect(pushes).toHaveLength(2)
})

test('behavior: the items of a request share one subscriber, except replayed items', async () => {
  service = await startWsService()
  const client = await service.connect()
  const subscribers: unknown[] = []
  service.feed.onAdd = (subscriber) => subscribers.push(subscriber)
  const ids = Array.from({ length: 1_000 }, (_, at) => `id${at}`)
  await client.call(rpc('subscribe', ['price', ids], 1))
  await client.call(rpc('subscribe', ['price', ids.slice(0, 10)], 2))
  await until('all are started', () => subscribers.length === 1_010)
  expect(new Set(subscribers).size).toBe(2)
  expect(subscribers[0]).not.toBe(subscribers[1_000])
  await client.call(rpc('subscribe', ['price', ids.slice(0, 10), { snapshot: true }], 3))
  await until('these as well', () => subscribers.length === 1_020)
  expect(new Set(subscribers).size).toBe(12)
  expect(service.feed.subscriberCount()).toBe(1_000)
})

test('behavior: canonical params are not stored, but can still be listed', () => {
  const written = ['0xAB', 'k5', 'bsc']
  const item = (param: string[]) => ({
    key: `multi_kline:${param[0]!.toLowerCase()}-bsc:${param[1]}`,
    param,
    ...(param === written ? {} : { isCanonical: true }),
  })
  const feed = createTestFeed()
  let left: SubscribedItems | null = null
  const set = new SubscriptionSet({} as Outbox, {
    feed,
    stats: createWsStats(),
    budget: new SubscriptionBudget(wide),
    drop(items) {
      left = items
    },
  })
  const params = [['0xcd', 'k1', 'bsc'], written, ['0xef', 'k5', 'bsc']]
  const request = { ...runAllSteps(feed.parse(['tx', 'a', 'x'])), items: params.map(item) }
  addAll(set, request, 1)
  expect(set.listParams(10)).toEqual(params)
  expect(set.listParams(1)).toEqual(params.slice(0, 1))
  set.clear()
  expect([...left!.originalParams.values()]).toEqual([written])
})

test('behavior: a great many items start in slots, the prices of one request together', async () => {
  const feed = createTestFeed()
  const scheduler = createScheduler()
  const context = { feed, stats: createWsStats(), budget: new SubscriptionBudget(wide) }
  const set = new SubscriptionSet({} as Outbox, { ...context, drop: () => undefined })
  const request = (topic: string, count: number) => ({
    ...runAllSteps(feed.parse(['tx', 'a', 'x'])),
    items: Array.from({ length: count }, (_, at) => item(`${topic}:${at}`)),
  })
  let nowMs = performance.now()
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
    nowMs += 0.2
    return nowMs
  })
  let isDone = false
  scheduler.run(() => {
    void set.start(addAll(set, request('tx', 1_000), 1), scheduler, 1).then(() => {
      isDone = true
    })
  })
  expect(feed.subscriberCount()).toBeLessThan(100)
  while (!isDone) await nextTurn()
  expect(feed.subscriberCount()).toBe(1_000)
  void set.start(addAll(set, request('price', 1_000), 2), scheduler, 2)
  expect(feed.subscriberCount()).toBe(2_000)
  clock.mockRestore()
})

test('behavior: an ordinary request is live when its answer leaves, even if the slot is over', () => {
  const feed = createTestFeed()
  const context = { feed, stats: createWsStats(), budget: new SubscriptionBudget(wide) }
  const set = new SubscriptionSet({} as Outbox, { ...context, drop: () => undefined })
  const scheduler = {
    ...createScheduler(),
    isOver: () => true,
    next: () => new Promise<void>(() => 0),
  }
  const items = Array.from({ length: itemsPerStep }, (_, at) => item(`tx:${at}`))
  const request = { ...runAllSteps(feed.parse(['tx', 'a', 'x'])), items }
  void set.start(addAll(set, request, 1), scheduler, 1)
  expect(feed.subscriberCount()).toBe(itemsPerStep)
})

test('behavior: a request takes its budget at once, and returns it if the socket closes meanwhile', () => {
  const feed = createTestFeed()
  const ids = Array.from({ length: 1_000 }, (_, at) => `${at}`.padStart(3, '0'))
  const limits = { ...wide, keyBytesMax: 1_000 * estimatedBytes(item('price:000')) }
  const budget = new SubscriptionBudget(limits)
  const isFree = () => budget.limitExceededBy(0, [item('price:000')]) === null
  const context = { feed, stats: createWsStats(), budget, drop: () => undefined }
  const request = runAllSteps(feed.parse(['price', ids]))
  const steps = new SubscriptionSet({} as Outbox, context).add(request, request.items, 1)
  steps.next()
  expect(isFree()).toBe(false)
  expect(context.stats.subscriptions).toBeLessThan(100)
  steps.return([])
  const kept = context.stats.subscriptions
  const rest = ids.slice(kept).map((id) => item(`price:${id}`))
  expect(budget.limitExceededBy(0, rest)).toBe(null)
  expect(budget.limitExceededBy(0, [...rest, item('price:000')])).not.toBe(null)
})

test('behavior: a message of thousands of items is handled in small steps, including parsing', () => {
  const feed = createTestFeed()
  const stats = createWsStats()
  const budget = new SubscriptionBudget(wide)
  const set = new SubscriptionSet({} as Outbox, { feed, stats, budget, drop: () => undefined })
  const ids = Array.from({ length: 5_000 }, (_, at) => `id${at}`)
  const parse = vi.spyOn(feed, 'parse')
  const counts: number[] = []
  const context = {
    feed,
    stats,
    budget,
    plan: planWithoutLimits,
    logger: createLogger('silent'),
    subscriptions: set,
    batchCallsMax: 1,
    takeFromRateLimit: () => true,
    onRefused: () => undefined,
  }
  const message = Buffer.from(JSON.stringify(rpc('subscribe', ['price', ids])))
  const { text } = runAllSteps(answerMessage(message, context), () => {
    if (counts.length === 0) expect(parse).not.toHaveBeenCalled()
    counts.push(set.size)
  })
  expect(JSON.parse(text!)).toMatchObject({ result: { subscribed: ids } })
  const added = counts.map((count, at) => count - (counts[at - 1] ?? 0))
  expect(Math.max(...added)).toBeLessThanOrEqual(itemsPerStep)
})

test('behavior: a key that subscribes too fast is answered, then not read; other keys are read', async () => {
  const subscribeRate = { keyItemsBurst: 3, keyItemsPerS: 0.001, pauseMsMax: 60_000 }
  service = await startWsService({
    keys: keysOf({ key: holderOf(1), other: holderOf(2) }),
    limits: { subscriptions: { ...wide, subscribeRate } },
  })
  const [first, second] = [await service.connect(), await service.connect()]
  const other = await service.connect('/?api_key=other')
  expect(await first.call(rpc('subscribe', ['price', ['a', 'b', 'c']]))).toHaveProperty('result')
  expect(await first.call(rpc('ping', []))).toMatchObject({ result: 'pong' })
  expect(await second.call(rpc('subscribe', ['price', ['a']]))).toHaveProperty('result')
  second.send(rpc('ping', []))
  for (let left = 20; left > 0; left -= 1)
    expect(await other.call(rpc('ping', []))).toMatchObject({ result: 'pong' })
  expect(await other.call(rpc('subscribe', ['price', ['a']]))).toHaveProperty('result')
  // Calls of the second socket go unanswered, while pushes to it still arrive.
  service.feed.publish('price:a', pushOf(1))
  expect(await second.next()).toMatchObject({ result: { n: 1 } })
})
