// Cost of many topics, sockets and subscriptions: 1,000 topics for 1,000 sockets, idle sockets, a
// burst of subscribes, and a million subscriptions over 50,000 pairs in the feed.
import { type BenchRow, type BenchTable, countText } from './benchTable.ts'
import type { FeedFigures } from './ws/feedServer.ts'
import {
  type ClientOptions,
  type Measured,
  type Memory,
  measureOnce,
  median,
  memoryOf,
  startClient,
  startNodeServer,
} from './ws/runClient.ts'
import { subscribeLine } from './ws/samplePush.ts'

export type TopicsOptions = { rounds?: number; seconds?: number }

const topics = 1_000
const sockets = 1_000
const idleSockets = 10_000
const stormTopics = 100
const feedOptions = { pairs: 50_000, subscriptions: 1_000_000 }

export async function runWsTopicsBench(options: TopicsOptions = {}): Promise<BenchTable> {
  const { rounds = 3, seconds = 3 } = options
  const rows = [
    await ownTopics(rounds, seconds),
    await allTopics(rounds, seconds),
    await idle(),
    ...(await storm()),
    ...(await feedAlone()),
  ]
  return { name: `WebSocket topics, sockets and subscriptions, medians of ${rounds} rounds`, rows }
}

const linesOf = (count: number) =>
  Array.from({ length: count }, (_, pair) => subscribeLine('multi_tx', pair))
const startOurs = (options: object) =>
  startNodeServer(process.execPath, './oursServer.ts', { window: 64, ticksPerS: null, ...options })

/** Every push is encoded and written for one socket. */
async function ownTopics(rounds: number, seconds: number): Promise<BenchRow> {
  const client = { sockets, seconds, warmPushes: 20_000, fan: 1, stride: topics }
  const value = await rateOf(
    { perTick: 8, window: 1_024, pairs: topics },
    { ...client, lines: linesOf(topics), isOwn: true },
    rounds,
  )
  return { metric: '1,000 topics with one socket each, blocks of 8 swaps', value }
}

/** A million subscriptions by real sockets. */
async function allTopics(rounds: number, seconds: number): Promise<BenchRow> {
  const client = { sockets, seconds, warmPushes: 500, isSame: true, lines: linesOf(topics) }
  const value = await rateOf({ perTick: 1, pairs: topics }, client, rounds)
  return { metric: '1,000 topics with 1,000 sockets each, one swap at a time', value }
}

async function rateOf(server: object, client: ClientOptions, rounds: number): Promise<string> {
  const results: Measured[] = []
  for (let round = 0; round < rounds; round += 1)
    results.push(await measureOnce(await startOurs(server), client))
  const rate = median(results.map(({ deliveries, seconds }) => deliveries / seconds))
  const cpuUs = median(results.map(({ deliveries, serverCpuS }) => (serverCpuS / deliveries) * 1e6))
  return `${countText(rate)} deliveries/s, ${cpuUs.toFixed(1)} µs of the server's CPU each`
}

function bytesEach(before: Memory, after: Memory, count: number): string {
  const each = (of: (memory: Memory) => number) => countText((of(after) - of(before)) / count)
  return `${each(({ rssBytes }) => rssBytes)} bytes resident, ${each(({ heapBytes }) => heapBytes)} in the heap, ${each(({ externalBytes }) => externalBytes)} in buffers`
}

async function idle(): Promise<BenchRow> {
  const server = await startOurs({ perTick: 1, pairs: 1 })
  try {
    // Connects once before, so that code loaded and compiled for the first sockets does not count.
    const first = startClient(server, { sockets: 1_000, lines: [] })
    await first.connected
    await first.stop()
    const before = await memoryOf(server)
    const client = startClient(server, { sockets: idleSockets, lines: [] })
    const ms = await client.connected
    const value = bytesEach(before, await memoryOf(server), idleSockets)
    await client.stop()
    return {
      metric: `${countText(idleSockets)} idle sockets, each`,
      value: `${value}; connected in ${(ms / 1_000).toFixed(1)} s`,
    }
  } finally {
    await server.stop()
  }
}

async function storm(): Promise<BenchRow[]> {
  const server = await startOurs({ perTick: 1, pairs: stormTopics })
  const client = startClient(server, { sockets, lines: linesOf(stormTopics) })
  try {
    await client.connected
    const before = await memoryOf(server)
    const ms = await client.subscribe()
    const after = await memoryOf(server)
    const count = sockets * stormTopics
    return [
      {
        metric: `storm of ${countText(count)} subscribe messages from ${countText(sockets)} sockets`,
        value: `${(ms / 1_000).toFixed(2)} s, ${((ms * 1_000) / count).toFixed(1)} µs each with their answers`,
      },
      { metric: 'memory of each of them', value: bytesEach(before, after, count) },
    ]
  } finally {
    await client.stop()
    await server.stop()
  }
}

async function feedAlone(): Promise<BenchRow[]> {
  const server = await startNodeServer(process.execPath, './feedServer.ts', feedOptions)
  try {
    const figures = await server.next<FeedFigures>('feed')
    const us = (value: number) => `${value.toFixed(2)} µs`
    const { pairs, subscriptions } = feedOptions
    return [
      {
        metric: `the feed alone, ${countText(subscriptions)} subscriptions over ${countText(pairs)} pairs: memory each`,
        value: `${countText(figures.bytesEach)} bytes`,
      },
      {
        metric: 'the feed alone: subscribe, unsubscribe',
        value: `${us(figures.subscribeUs)}, ${us(figures.unsubscribeUs)}`,
      },
      {
        metric: `the feed alone: one swap applied with ${subscriptions / pairs} subscribers; with none`,
        value: `${us(figures.publishUs)}; ${us(figures.quietUs)}`,
      },
    ]
  } finally {
    await server.stop()
  }
}
