// Start time of a gateway with a large market: the newest snapshot, the stored entries of the log,
// the rest from NATS. Compared with a bare read of the snapshot.
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestConnection, withClient } from '../../test/support/postgres.ts'
import { testApiKey } from '../../test/support/program.ts'
import { until } from '../../test/support/until.ts'
import { type BenchRow, countText } from '../benchTable.ts'
import { type KnownSizes, knownProfile } from '../known/market.ts'
import { cpuSecondsOf } from '../ws/jsonLineProcess.ts'
import { median } from '../ws/runClient.ts'
import {
  type ClusterService,
  type RoleProcess,
  startClusterService,
  untilReady,
} from './clusterService.ts'
import { type StoredKnown, storeKnown } from './storeKnown.ts'

const rounds = 3
const entries = 400
const unstored = 100

type Start = {
  /** Time from the spawn to ready. */
  readyMs: number
  newestMs: number
  /** CPU time until it was ready. */
  cpuMs: number
  snapshotMs: number
  entriesMs: number
  rss: number
  peakRss: number
  bareMs: number
}

export async function measureStart(sizes: KnownSizes): Promise<BenchRow[]> {
  const service = await startClusterService({ writeConfig })
  try {
    const { connection, nats } = service
    const known = await storeKnown({ connection, natsUrls: nats.urls, sizes, entries, unstored })
    const starts: Start[] = []
    for (let left = rounds; left > 0; left -= 1) starts.push(await startOnce(service, known))
    return rowsOf(sizes, known, starts)
  } finally {
    await service.stop()
  }
}

async function writeConfig(dataDir: string, settings: object): Promise<string> {
  const { name, native, stables, quotes } = knownProfile
  const file = join(dataDir, 'config.json')
  const chain = {
    // No node listens here: a gateway follows the log.
    rpc: [{ http_url: 'http://127.0.0.1:9' }],
    start_block: 0,
    stables,
    quotes,
    native: { symbol: native.symbol, wrapped_token: native.wrappedToken },
  }
  const config = { api_key: testApiKey, ...settings, chains: { [name]: chain } }
  await writeFile(file, JSON.stringify(config))
  return file
}

async function startOnce(service: ClusterService, known: StoredKnown): Promise<Start> {
  const bareMs = await readBare(service.connection, known)
  const startMs = performance.now()
  const gateway = await service.start('gateway')
  await untilReady(gateway)
  const readyMs = performance.now() - startMs
  const cpuMs = 1_000 * cpuSecondsOf(gateway.child.pid!)
  const { rss, peakRss } = memoryOf(gateway.child.pid!)
  const isNewest = async () => (await headOf(gateway)) === known.newestNumber
  await until('it serves the newest block', isNewest)
  const newestMs = performance.now() - startMs
  const loaded = gateway
    .stderr()
    .split('\n')
    .find((line) => line.includes('"msg":"Loaded a market"'))!
  gateway.child.kill('SIGKILL')
  await gateway.ended
  const { snapshotMs, entriesMs } = JSON.parse(loaded) as Pick<Start, 'snapshotMs' | 'entriesMs'>
  return { readyMs, newestMs, cpuMs, snapshotMs, entriesMs, rss, peakRss, bareMs }
}

async function headOf({ address }: RoleProcess): Promise<number | null> {
  const answer = await fetch(`${address}/health/ready`)
  const { chains } = (await answer.json()) as { chains: { [name: string]: { head_block: number } } }
  return chains[knownProfile.name]?.head_block ?? null
}

/** Reads the same bytes chunk by chunk and drops them. */
async function readBare(
  connection: TestConnection,
  { chainId, snapshotSeq, snapshotBytes }: StoredKnown,
): Promise<number> {
  return await withClient(connection, async (client) => {
    const startMs = performance.now()
    let read = 0
    for (let idx = 0; read < snapshotBytes; idx += 1) {
      const { rows } = await client.query<{ bytes: Buffer }>(
        'SELECT bytes FROM snapshot_chunks WHERE chain = $1 AND seq = $2 AND idx = $3',
        [chainId, snapshotSeq, idx],
      )
      read += rows[0]!.bytes.length
    }
    return performance.now() - startMs
  })
}

function memoryOf(pid: number): Pick<Start, 'rss' | 'peakRss'> {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const bytesOf = (name: string) =>
    1_024 * Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)![1])
  return { rss: bytesOf('VmRSS'), peakRss: bytesOf('VmHWM') }
}

function rowsOf(
  { pairs, tokens, active }: KnownSizes,
  known: StoredKnown,
  starts: readonly Start[],
): BenchRow[] {
  const of = (name: keyof Start) => median(starts.map((start) => start[name]))
  const s = (ms: number) => `${(ms / 1_000).toFixed(1)} s`
  const mb = (bytes: number) => `${countText(bytes / 1e6)} MB`
  const market = `${countText(pairs)} pairs, ${countText(tokens)} tokens, ${countText(active)} active`
  const share = median(starts.map(({ snapshotMs, bareMs }) => snapshotMs / bareMs))
  return [
    {
      metric: `start of a gateway, ${market}: spawn to ready, median of ${rounds}; longest`,
      value: `${s(of('readyMs'))}; ${s(Math.max(...starts.map(({ readyMs }) => readyMs)))}`,
      goal: 'under 30 s',
    },
    {
      metric: `of which the snapshot of ${mb(known.snapshotBytes)}; a bare read of it from PostgreSQL; against that`,
      value: `${s(of('snapshotMs'))}; ${s(of('bareMs'))}; ${share.toFixed(1)}x`,
    },
    {
      metric: `of which ${entries - unstored} entries after it that are stored`,
      value: s(of('entriesMs')),
    },
    {
      metric: `spawn to the newest block of the log, ${unstored} entries further`,
      value: s(of('newestMs')),
    },
    { metric: 'processor time until it was ready', value: s(of('cpuMs')) },
    { metric: 'resident when ready; at most', value: `${mb(of('rss'))}; ${mb(of('peakRss'))}` },
    {
      metric: 'the snapshot was encoded in; stored in',
      value: `${s(known.encodeMs)}; ${s(known.saveMs)}`,
    },
  ]
}
