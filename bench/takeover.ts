// How long a chain pauses when its leading indexer ends: from the end of the process to the next
// entry acknowledged by NATS, and the time without pushes for a client of a gateway. One database,
// one NATS server, two indexers and a gateway on this machine, four blocks a second.
import { setTimeout as delay } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { createTape } from '../packages/client/src/index.ts'
import { type DevNode, startDevNode } from '../test/support/devNode.ts'
import { testApiKey, writeChainConfig } from '../test/support/program.ts'
import { until } from '../test/support/until.ts'
import type { BenchRow, BenchTable } from './benchTable.ts'
import {
  type ClusterService,
  type RoleProcess,
  startClusterService,
  untilLogged,
  untilReady,
} from './cluster/clusterService.ts'
import { type LogWatch, watchLog } from './cluster/watchLog.ts'

export type TakeoverOptions = { kills?: number; stops?: number; freezes?: number }

/** All in ms, from the signal on. */
type Takeover = { fence: number; entry: number; silence: number }

type Way = { name: string; signal: NodeJS.Signals; count: number; goal?: string }

const startBlocks = 40
const blockEveryMs = 250
// Keeps listening, so that later blocks of the new leader count too.
const heardMs = 1_000

export async function runTakeoverBench(options: TakeoverOptions = {}): Promise<BenchTable> {
  const { kills = 12, stops = 4, freezes = 4 } = options
  const ways: Way[] = [
    { name: 'kill -9', signal: 'SIGKILL', count: kills, goal: 'under 3 s at p99' },
    { name: 'SIGTERM', signal: 'SIGTERM', count: stops },
    { name: 'SIGSTOP', signal: 'SIGSTOP', count: freezes },
  ]
  const node = await startDevNode({ market: true, seed: 'takeover' })
  for (let block = 0; block < startBlocks; block += 1) await node.mineMarket()
  const service = await startClusterService({
    writeConfig: (dataDir, settings) => writeChainConfig(dataDir, node, { settings }),
  })
  try {
    return { name: 'takeover', rows: await measure(service, node, ways) }
  } finally {
    await service.stop()
    await node.stop()
  }
}

async function measure(
  service: ClusterService,
  node: DevNode,
  ways: readonly Way[],
): Promise<BenchRow[]> {
  let leader = await service.start('indexer')
  await untilLogged(leader, 'Leads')
  const gateway = await service.start('gateway')
  await untilReady(gateway)
  const log = await watchLog(service.nats.urls)
  const client = listen(node, gateway)
  const mining = mineSteadily(node)
  const rows: BenchRow[] = []
  for (const way of ways) {
    const taken: Takeover[] = []
    for (let left = way.count; left > 0; left -= 1) {
      const next = await standby(service)
      taken.push(await takeOver(leader, way.signal, { log, client }))
      leader.child.kill('SIGKILL')
      leader = next
    }
    if (taken.length > 0) rows.push(...rowsOf(way, taken))
  }
  await mining.stop()
  await client.close()
  await log.close()
  return rows
}

/** Starts an indexer and waits until it has the market in memory. */
async function standby(service: ClusterService): Promise<RoleProcess> {
  const indexer = await service.start('indexer')
  await untilLogged(indexer, 'Standby market loaded')
  // Waits like an indexer that has been on standby for a while.
  await delay(heardMs)
  return indexer
}

async function takeOver(
  leader: RoleProcess,
  signal: NodeJS.Signals,
  { log, client }: { log: LogWatch; client: Listener },
): Promise<Takeover> {
  const startMs = performance.now()
  client.begin()
  const fenced = log.nextFence()
  leader.child.kill(signal)
  const fence = (await fenced).atMs
  const entry = (await log.nextEntry()).atMs
  await until('the client hears of it', () => client.lastMs() > entry)
  await delay(heardMs)
  return { fence: fence - startMs, entry: entry - startMs, silence: client.silenceMs() }
}

type Listener = {
  begin(): void
  lastMs(): number
  /** Longest time between two pushes since `begin`. */
  silenceMs(): number
  close(): Promise<void>
}

function listen(node: DevNode, { address }: RoleProcess): Listener {
  const tape = createTape({ url: address, key: testApiKey, WebSocket })
  let silenceMs = 0
  let lastMs = performance.now()
  void tape.tokenSwaps(`${node.profile.native.wrappedToken}-local`).each(() => {
    silenceMs = Math.max(silenceMs, performance.now() - lastMs)
    lastMs = performance.now()
  })
  return {
    begin() {
      silenceMs = 0
    },
    lastMs: () => lastMs,
    silenceMs: () => silenceMs,
    close: async () => void (await tape.close()),
  }
}

function mineSteadily(node: DevNode): { stop(): Promise<void> } {
  let isStopping = false
  async function mine(): Promise<void> {
    while (!isStopping) {
      const startMs = performance.now()
      await node.mineMarket()
      await delay(Math.max(0, blockEveryMs - (performance.now() - startMs)))
    }
  }
  const mined = mine()
  return {
    async stop() {
      isStopping = true
      await mined
    },
  }
}

function rowsOf({ name, count, goal }: Way, taken: readonly Takeover[]): BenchRow[] {
  const value = (pick: (takeover: Takeover) => number) => {
    const sorted = taken.map(pick).sort((a, b) => a - b)
    return `${secondsText(sorted[Math.floor(sorted.length / 2)]!)}; ${secondsText(sorted.at(-1)!)}`
  }
  const what = `${count} x ${name} of the leader, p50; longest`
  return [
    { metric: `${what}: to the message that shuts the old one out`, value: value((t) => t.fence) },
    {
      metric: `${what}: to the next acknowledged entry`,
      value: value((t) => t.entry),
      ...(goal === undefined ? {} : { goal }),
    },
    { metric: `${what}: a client heard nothing for`, value: value((t) => t.silence) },
  ]
}

const secondsText = (ms: number) => `${(ms / 1_000).toFixed(2)} s`
