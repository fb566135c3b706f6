// Latency from a block's due time to its frame at the last of 1,000 subscribers, at a steady rate.
// Server and client read the same monotonic clock. The server also measures the time until its last
// write returned; the rest is kernel and client. An epoll loop in C that sends the same at the same
// rate, alternating with ours, shows the share of kernel, client and machine.
import { type BenchRow, type BenchTable, countText } from './benchTable.ts'
import { compileC } from './ws/compileC.ts'
import {
  type ClientOptions,
  type Measured,
  measureOnce,
  median,
  startClient,
  startNodeServer,
  startServer,
} from './ws/runClient.ts'
import { subscribeLine, writeSamplePush } from './ws/samplePush.ts'
import type { ServerLine } from './ws/serverProtocol.ts'

export type LatencyOptions = { rounds?: number; seconds?: number }

type Written = Extract<ServerLine, { event: 'written' }>
type Result = { client: Measured; written: Written }

const sockets = 1_000
const deliveriesPerS = 50_000
const p99MsMax = 20

export async function runWsLatencyBench(options: LatencyOptions = {}): Promise<BenchTable> {
  const { rounds = 3, seconds = 10 } = options
  const rows: BenchRow[] = []
  const { path } = writeSamplePush('multi_tx')
  for (const perBlock of [1, 5]) {
    const ours: Result[] = []
    const limit: Measured[] = []
    for (let round = 0; round < rounds; round += 1) {
      ours.push(await measureOurs(perBlock, seconds))
      limit.push(await measureLimit(perBlock, seconds, path))
    }
    rows.push(...rowsOf(perBlock, ours, limit))
  }
  const name = `WebSocket latency: ${countText(deliveriesPerS)} deliveries/s to ${countText(sockets)} sockets, medians of ${rounds} rounds`
  return { name, rows }
}

function rowsOf(perBlock: number, ours: readonly Result[], limit: readonly Measured[]): BenchRow[] {
  const of = (pick: (of: Result) => number) => median(ours.map(pick))
  const shape = `${blocksPerS(perBlock)} blocks/s of ${perBlock} push${perBlock === 1 ? '' : 'es'}`
  const held = of(({ client }) => client.deliveries / client.seconds)
  const ms = (value: number) => `${value.toFixed(2)} ms`
  const last = (share: 'p50' | 'p99') => of(({ client }) => client.lastMs[share])
  const ofLimit = (share: 'p50' | 'p99') => median(limit.map(({ lastMs }) => lastMs[share]))
  const rest = (share: 'p50' | 'p99') => {
    const after = of(({ client, written }) => client.lastMs[share] - written[share])
    return `${ms(after)} (${Math.round((100 * after) / last(share))} %)`
  }
  return [
    { metric: `${shape}: held`, value: `${countText(held)} deliveries/s` },
    { metric: `${shape}: block to the last frame, p50`, value: ms(last('p50')) },
    {
      metric: `${shape}: block to the last frame, p99`,
      value: ms(last('p99')),
      goal: `under ${p99MsMax} ms`,
    },
    {
      metric: `${shape}: the same of a C loop that writes ready bytes, p50; p99`,
      value: `${ms(ofLimit('p50'))}; ${ms(ofLimit('p99'))}`,
    },
    {
      metric: `${shape}: of ours after the server's last write, p50; p99`,
      value: `${rest('p50')}; ${rest('p99')}`,
    },
    {
      metric: `${shape}: one core's share of the server; of the client`,
      value: ['serverCpuS', 'cpuS']
        .map((key) => of(({ client }) => client[key as 'cpuS'] / client.seconds))
        .map((share) => `${Math.round(100 * share)} %`)
        .join('; '),
    },
  ]
}

const blocksPerS = (perBlock: number) => deliveriesPerS / sockets / perBlock

const clientOptions = (seconds: number): ClientOptions => ({
  sockets,
  seconds,
  warmSeconds: 3,
  isSame: true,
  lines: [subscribeLine('multi_tx', 0)],
})

function measureLimit(perTick: number, seconds: number, payloadPath: string): Promise<Measured> {
  const args = [perTick, Number.MAX_SAFE_INTEGER, blocksPerS(perTick)].map(String)
  return startServer(compileC('epollServer'), [payloadPath, ...args]).then((server) =>
    measureOnce(server, clientOptions(seconds)),
  )
}

async function measureOurs(perTick: number, seconds: number): Promise<Result> {
  const pace = { perTick, ticksPerS: blocksPerS(perTick), window: Number.MAX_SAFE_INTEGER }
  const server = await startNodeServer(process.execPath, './oursServer.ts', { ...pace, pairs: 1 })
  const client = startClient(server, clientOptions(seconds))
  try {
    await client.connected
    await client.subscribe()
    const result = await client.measure()
    server.say('written')
    return { client: result, written: await server.next<Written>('written') }
  } finally {
    await client.stop()
    await server.stop()
  }
}
