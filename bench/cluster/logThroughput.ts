// Entries per second that the log appends to NATS, against a bare JetStream publisher that sends
// the same bytes, in turn, with one server and with three replicas.
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import type { LogRow } from '../../packages/server/src/log/log.ts'
import { openNatsLogWriter } from '../../packages/server/src/log/nats/natsLogWriter.ts'
import { connectNats } from '../../packages/server/src/log/nats/natsServer.ts'
import { openNatsStream } from '../../packages/server/src/log/nats/natsStream.ts'
import { encodeStep } from '../../packages/server/src/log/nats/stepMessages.ts'
import { startNatsServers } from '../../test/support/natsServers.ts'
import { silentLogger } from '../../test/support/postgres.ts'
import { until } from '../../test/support/until.ts'
import { type BenchRow, countText } from '../benchTable.ts'
import { median } from '../ws/runClient.ts'

type Shape = { name: string; bytes: number; steps: number }

// Entry sizes of blocks with about 15 and about 200 swaps.
const shapes: Shape[] = [
  { name: '2 kB', bytes: 2_000, steps: 6_000 },
  { name: '26 kB', bytes: 26_000, steps: 2_000 },
]
const rounds = 5
// The same number of messages in flight as the log has.
const bareWindow = 64

export async function measureLogThroughput(): Promise<BenchRow[]> {
  const rows: BenchRow[] = []
  for (const servers of [1, 3]) {
    const nats = await startNatsServers(servers)
    try {
      await untilKept(nats.urls)
      for (const shape of shapes) rows.push(await rowOf(nats.urls, shape))
    } finally {
      await nats.stop()
    }
  }
  return rows
}

/** Waits until servers that have just started know each other and accept the stream. */
async function untilKept(urls: readonly string[]): Promise<void> {
  const run = { urls, shape: { name: 'one', bytes: 1, steps: 1 }, name: 'first' }
  const isKept = () =>
    publishAll(run).then(
      () => true,
      () => false,
    )
  await until('the servers keep a stream', isKept)
}

async function rowOf(urls: readonly string[], shape: Shape): Promise<BenchRow> {
  const [ours, bare]: [number[], number[]] = [[], []]
  // The first round of each is a warm-up.
  for (let round = 0; round <= rounds; round += 1) {
    const isFirst = round === 0
    const of = { urls, shape, name: `${shape.bytes}x${round}` }
    const [ourMs, bareMs] = [await appendAll(of), await publishAll(of)]
    if (isFirst) continue
    ours.push(ourMs)
    bare.push(bareMs)
  }
  const perS = (ms: number) => (1_000 * shape.steps) / ms
  const text = (ms: number) =>
    `${countText(perS(ms))} entries/s, ${((perS(ms) * shape.bytes) / 1e6).toFixed(1)} MB/s`
  const share = median(ours.map((ms, index) => bare[index]! / ms))
  return {
    metric: `R${urls.length}, entries of ${shape.name}: ours; a bare publisher; ours against it, medians of ${rounds} in turn`,
    value: `${text(median(ours))}; ${text(median(bare))}; ${share.toFixed(2)}x`,
    goal: '0.8x',
  }
}

type Run = { urls: readonly string[]; shape: Shape; name: string }

const rowOfStep = (number: number, bytes: Uint8Array): LogRow => ({
  type: 'commit',
  ref: {
    number,
    hash: `h${number}`,
    parentNumber: number - 1,
    parentHash: '',
    timeS: 1_750_000_000,
  },
  bytes,
  undo: null,
})

const bytesOf = ({ bytes }: Shape) => Buffer.alloc(bytes, 'chaintape')

/** Milliseconds until all messages are acknowledged. */
async function appendAll({ urls, shape, name }: Run): Promise<number> {
  const server = await connectNats({ urls, streamBytesMax: 1e10, prefix: `ours${name}` })
  const writer = await openNatsLogWriter({
    stream: openNatsStream(server, 1),
    chain: 'bench',
    storedSeq: 0,
    logger: silentLogger,
    spentSeq: async () => 0,
  })
  const bytes = bytesOf(shape)
  const startMs = performance.now()
  for (let seq = 0; seq < shape.steps; seq += 1)
    writer.append({ expectedSeq: seq, entries: [rowOfStep(seq, bytes)] })
  await writer.flush()
  const tookMs = performance.now() - startMs
  await server.manager.streams.delete(`ours${name}_1`)
  await server.close()
  return tookMs
}

async function publishAll({ urls, shape, name }: Run): Promise<number> {
  const connection = await connect({ servers: [...urls], noAsyncTraces: true })
  const manager = await jetstreamManager(connection)
  const stream = `bare${name}`
  await manager.streams.add({ name: stream, subjects: [stream], num_replicas: urls.length })
  const client = jetstream(connection)
  const bytes = encodeStep({ entries: [rowOfStep(0, bytesOf(shape))], carried: new Uint8Array() })
  let left = shape.steps
  const publishOn = async () => {
    while (left > 0) {
      left -= 1
      await client.publish(stream, bytes)
    }
  }
  const startMs = performance.now()
  await Promise.all(Array.from({ length: bareWindow }, publishOn))
  const tookMs = performance.now() - startMs
  await manager.streams.delete(stream)
  await connection.close()
  return tookMs
}
