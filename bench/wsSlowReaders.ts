// 500 readers that keep up, first without and then with 500 slow ones: half of those read a few
// kilobytes a second, half never read, and closed ones come back. The fast readers must see no
// change, and memory must stay flat.

import { setTimeout as sleep } from 'node:timers/promises'
import { defaultSocketLimits } from '../test/support/gatewayDefaults.ts'
import { type BenchTable, countText } from './benchTable.ts'
import {
  type Measured,
  type Memory,
  memoryOf,
  startClient,
  startNodeServer,
} from './ws/runClient.ts'
import { subscribeLine } from './ws/samplePush.ts'
import type { ServerLine } from './ws/serverProtocol.ts'

export type SlowReadersOptions = { minutes?: number }

type Stats = Extract<ServerLine, { event: 'stats' }>
type Run = { result: Measured; memory: Memory[]; stats: Stats['stats'] }

const good = 500
const slow = 500
const blocksPerS = 20
const pushesPerBlock = 5
const memorySamples = 12
// At this rate a reader that reads nothing fills 3 MB of kernel buffers in about 25 s, and then its
// outbox in half a minute. A shorter run uses a smaller outbox, so that it also covers full
// outboxes, closed readers and their return.
const fullRunMinutes = 5
// Without slow readers nothing changes over time.
const aloneMinutesMax = 2

export async function runWsSlowReadersBench(options: SlowReadersOptions = {}): Promise<BenchTable> {
  const { minutes = 1 } = options
  const share = Math.min(minutes / fullRunMinutes, 1)
  const outboxBytesMax = Math.round(defaultSocketLimits.outboxBytesMax * share)
  const aloneMinutes = Math.min(minutes, aloneMinutesMax)
  const alone = await run(0, aloneMinutes, outboxBytesMax)
  const beside = await run(slow, minutes, outboxBytesMax)
  const ms = ({ result: { lastMs } }: Run) =>
    `${lastMs.p50.toFixed(2)} ms, ${lastMs.p99.toFixed(2)} ms`
  const mib = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MiB`
  // The first third fills the outboxes.
  const later = beside.memory.slice(Math.floor(memorySamples / 3))
  const range = (of: (memory: Memory) => number) =>
    `${mib(Math.min(...later.map(of)))} to ${mib(Math.max(...later.map(of)))}, last ${mib(of(later.at(-1)!))}`
  return {
    name: `WebSocket slow readers: ${good} good ones, ${slow} slow ones, ${minutes} min beside each other and ${aloneMinutes} alone, outbox ${Math.round(outboxBytesMax / 1_024)} KiB`,
    rows: [
      { metric: 'good ones alone: block to the last frame, p50, p99', value: ms(alone) },
      {
        metric: 'good ones beside slow ones',
        value: ms(beside),
        goal: 'p99 unchanged',
      },
      {
        metric: 'pushes to good ones, all checked, none missing',
        value: `${countText(alone.result.checked)}; ${countText(beside.result.checked)}`,
      },
      {
        metric: 'slow ones: pushes read, closed by the server, told that they lag',
        value: [
          ...[beside.result.slow.pushes, beside.stats.laggedCloses!],
          beside.result.slow.laggedNotices,
        ]
          .map(countText)
          .join(', '),
      },
      {
        metric: 'memory after the first third: resident',
        value: range(({ rssBytes }) => rssBytes),
        goal: 'flat',
      },
      {
        metric: 'memory after the first third: heap and buffers after collection',
        value: range(({ heapBytes, externalBytes }) => heapBytes + externalBytes),
        goal: 'flat',
      },
      {
        metric: "one core's share of the server, alone; beside slow ones",
        value: [alone, beside]
          .map(({ result }) => `${Math.round((100 * result.serverCpuS) / result.seconds)} %`)
          .join('; '),
      },
    ],
  }
}

async function run(slowCount: number, minutes: number, outboxBytesMax: number): Promise<Run> {
  const pace = { perTick: pushesPerBlock, ticksPerS: blocksPerS, window: Number.MAX_SAFE_INTEGER }
  const server = await startNodeServer(process.execPath, './oursServer.ts', {
    ...pace,
    pairs: 1,
    outboxBytesMax,
  })
  const seconds = minutes * 60
  const client = startClient(server, {
    sockets: good,
    slow: slowCount,
    seconds,
    warmSeconds: 3,
    isSame: true,
    lines: [subscribeLine('multi_tx', 0)],
  })
  const memory: Memory[] = []
  try {
    await client.connected
    await client.subscribe()
    const measured = client.measure()
    // Samples memory in both runs, so that they differ only by the readers: each sample's
    // collection stops the server briefly.
    for (let sample = 0; sample < memorySamples; sample += 1) {
      await sleep((seconds * 1_000) / memorySamples)
      memory.push(await memoryOf(server))
    }
    const result = await measured
    server.say('stats')
    return { result, memory, stats: (await server.next<Stats>('stats')).stats }
  } finally {
    await client.stop()
    await server.stop()
  }
}
