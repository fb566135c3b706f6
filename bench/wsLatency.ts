// From the moment a block is due to the moment the last of 1,000 subscribers has its frame, at a rate that is held. Server
// and client read the same monotonic clock. What the server needs until its last write has returned is measured there;
// the rest is the kernel's and the client's.
import { type BenchRow, type BenchTable, countText } from './benchTable.ts'
import {
  type ClientOptions,
  type Measured,
  median,
  startClient,
  startNodeServer,
} from './ws/runClient.ts'
import { subscribeLine } from './ws/samplePush.ts'
import type { ServerLine } from './ws/serverTalk.ts'

export type LatencyOptions = { rounds?: number; seconds?: number }

type Written = Extract<ServerLine, { event: 'written' }>
type Result = { client: Measured; written: Written }

const sockets = 1_000
const deliveriesPerS = 50_000
const p99MsMax = 20

export async function runWsLatencyBench(options: LatencyOptions = {}): Promise<BenchTable> {
  const { rounds = 3, seconds = 10 } = options
  const rows: BenchRow[] = []
  for (const perBlock of [1, 5]) {
    const results: Result[] = []
    for (let round = 0; round < rounds; round += 1) results.push(await measure(perBlock, seconds))
    const of = (pick: (of: Result) => number) => median(results.map(pick))
    const blocksPerS = deliveriesPerS / sockets / perBlock
    const shape = `${blocksPerS} blocks/s of ${perBlock} push${perBlock === 1 ? '' : 'es'}`
    const held = of(({ client }) => client.deliveries / client.seconds)
    const ms = (value: number) => `${value.toFixed(2)} ms`
    const last = (share: 'p50' | 'p99') => of(({ client }) => client.lastMs[share])
    const rest = (share: 'p50' | 'p99') => {
      const after = of(({ client, written }) => client.lastMs[share] - written[share])
      return `${ms(after)} (${Math.round((100 * after) / last(share))} %)`
    }
    rows.push(
      { metric: `${shape}: held`, value: `${countText(held)} deliveries/s` },
      { metric: `${shape}: block to the last frame, p50`, value: ms(last('p50')) },
      {
        metric: `${shape}: block to the last frame, p99`,
        ...{ value: ms(last('p99')), goal: `under ${p99MsMax} ms` },
      },
      {
        metric: `${shape}: of it after the server's last write, p50; p99`,
        value: `${rest('p50')}; ${rest('p99')}`,
      },
      {
        metric: `${shape}: one core's share of the server; of the client`,
        value: ['serverCpuS', 'cpuS']
          .map((key) => of(({ client }) => client[key as 'cpuS'] / client.seconds))
          .map((share) => `${Math.round(100 * share)} %`)
          .join('; '),
      },
    )
  }
  const name = `WebSocket latency: ${countText(deliveriesPerS)} deliveries/s to ${countText(sockets)} sockets, medians of ${rounds} rounds`
  return { name, rows }
}

async function measure(perTick: number, seconds: number): Promise<Result> {
  const ticksPerS = deliveriesPerS / sockets / perTick
  const pace = { perTick, ticksPerS, window: Number.MAX_SAFE_INTEGER }
  const server = await startNodeServer(process.execPath, './oursServer.ts', { ...pace, pairs: 1 })
  const options: ClientOptions = {
    ...{ sockets, seconds, warmSeconds: 3, isSame: true, lines: [subscribeLine('multi_tx', 0)] },
  }
  const client = startClient(server, options)
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
