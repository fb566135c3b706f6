// A whole service whose market knows many tokens and pairs of which few trade, killed and
// restarted: time from its spawn to ready, and memory when ready, after requests for quiet tokens,
// and while the next snapshot is written. It has its own database; its node returns empty blocks.
// `npm run bench -- restart --pairs 5000000 --tokens 10000000`
import { execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { removeDataDir } from '../test/support/postgres.ts'
import { testApiKey } from '../test/support/program.ts'
import { type Service, startService } from '../test/support/service.ts'
import { until } from '../test/support/until.ts'
import { type BenchRow, type BenchTable, countText } from './benchTable.ts'
import { type KnownSizes, knownProfile, pairOf, tokenOf } from './known/market.ts'
import { storeWithImage } from './known/storeWithImage.ts'

const warmStarts = 2
const coldStarts = 2
/** Requests of each kind, one after another. */
const requests = 40
const pricesMax = 200
/**
 * Interval of snapshots: long enough for the requests to quiet tokens to come before the first one.
 */
const snapshotEveryMs = 90_000
const savingMinutesMax = 20
const sampledEveryMs = 200
/** Time after which released memory is returned to the system. */
const settledMs = 10_000

type Start = { service: Service; readyMs: number; rss: number }

export async function runRestartBench(sizes: KnownSizes): Promise<BenchTable> {
  const dataDir = await mkdtemp(join(tmpdir(), 'chaintape-bench-'))
  const endS = Math.floor(Date.now() / 1_000)
  try {
    const { number } = await storeWithImage({ dataDir, sizes, endS })
    const node = await startQuietNode(number, endS)
    try {
      const config = await writeConfig(dataDir, node.rpcUrl, sizes)
      const { pairs, tokens, active } = sizes
      const market = `${countText(pairs)} pairs, ${countText(tokens)} tokens, ${countText(active)} active`
      const name = `restart: ${market}, ${countText(sizes.memory / 2 ** 20)} MiB for pages`
      return { name, rows: await measure({ dataDir, config, sizes }) }
    } finally {
      node.stop()
    }
  } finally {
    await removeDataDir(dataDir)
  }
}

async function startQuietNode(number: number, timeS: number) {
  const file = fileURLToPath(new URL('./known/quietNode.ts', import.meta.url))
  const child = fork(file, [`${number}`, `${timeS}`], { execArgv: ['--import', 'tsx'] })
  const [{ rpcUrl }] = (await once(child, 'message')) as [{ rpcUrl: string }]
  return { rpcUrl, stop: () => child.disconnect() }
}

async function writeConfig(dataDir: string, rpcUrl: string, { memory }: KnownSizes) {
  const { name, native, stables, quotes } = knownProfile
  const chain = {
    rpc: [{ http_url: rpcUrl }],
    start_block: 0,
    finality: 16,
    stables,
    quotes,
    native: { symbol: native.symbol, wrapped_token: native.wrappedToken },
    // Made-up blocks have no roots to check.
    node_checks: { bloom: false, header_hash: false, receipts_root: false },
    audit_rate_percent: 0,
  }
  const file = join(dataDir, 'config.json')
  const testing = {
    snapshot_every_ms: snapshotEveryMs,
    risk_checks_per_min_max: 0,
  }
  const config = {
    data_dir: dataDir,
    api_key: testApiKey,
    testing,
    market_memory: Math.ceil(memory * 1.5),
    chains: { [name]: chain },
  }
  await writeFile(file, JSON.stringify(config))
  return file
}

type Place = { dataDir: string; config: string; sizes: KnownSizes }

async function measure(place: Place): Promise<BenchRow[]> {
  const first = await start(place)
  const rows = [...(await requestRows(first.service, place.sizes))]
  const rssAfterRequests = rssOf(first.service)
  const saving = await snapshotMemory(first.service)
  await first.service.kill()
  const warm = await startsOf(place, warmStarts, () => undefined)
  const cold = mayDropCaches() ? await startsOf(place, coldStarts, dropCaches) : []
  const gib = (bytes: number) => `${(bytes / 2 ** 30).toFixed(2)} GiB`
  const seconds = (starts: readonly { readyMs: number }[]) =>
    starts.map(({ readyMs }) => `${(readyMs / 1_000).toFixed(1)} s`).join(', ')
  return [
    {
      metric: 'spawn to ready, right after the image was written; killed and started again',
      value: `${seconds([first])}; ${seconds(warm)}`,
      goal: '30 s',
    },
    {
      metric: 'the same after all caches of the disk were dropped',
      value: cold.length > 0 ? seconds(cold) : 'not measured: only root may drop them',
      goal: '30 s',
    },
    {
      metric: 'resident when ready; after the requests below',
      value: `${gib(first.rss)}; ${gib(rssAfterRequests)}`,
      goal: '4 GiB',
    },
    {
      metric: `at most until the next snapshot was saved (${countText(saving.overS)} s over 4 GiB); after it`,
      value: `${gib(saving.most)}; ${gib(saving.after)}`,
      goal: '4 GiB',
    },
    ...rows,
  ]
}

async function startsOf(place: Place, count: number, prepare: () => void): Promise<Start[]> {
  const starts: Start[] = []
  for (let left = count; left > 0; left -= 1) {
    prepare()
    const started = await start(place)
    await started.service.kill()
    starts.push(started)
  }
  return starts
}

async function start({ dataDir, config }: Place): Promise<Start> {
  const startMs = performance.now()
  const service = await startService(dataDir, config)
  await until('it is ready', async () => (await service.get('/health/ready')).ok)
  const readyMs = performance.now() - startMs
  if (!service.stderr().includes('"isFromImage":true'))
    throw new Error(`It did not go on from the image: ${service.stderr()}`)
  return { service, readyMs, rss: rssOf(service) }
}

function rssOf({ child }: Service): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
  return 1_024 * Number(/^VmRSS:\s+(\d+)/m.exec(status)![1])
}

async function snapshotMemory(service: Service) {
  let most = 0
  let samplesOver = 0
  const endMs = performance.now() + savingMinutesMax * 60_000
  while (!service.stderr().includes('"msg":"Saved a snapshot"')) {
    if (performance.now() > endMs) throw new Error(`No snapshot was saved: ${service.stderr()}`)
    const rss = rssOf(service)
    most = Math.max(most, rss)
    samplesOver += Number(rss > 4 * 2 ** 30)
    await delay(sampledEveryMs)
  }
  await delay(settledMs)
  return { most, overS: (samplesOver * sampledEveryMs) / 1_000, after: rssOf(service) }
}

function mayDropCaches(): boolean {
  return process.platform === 'linux' && process.getuid?.() === 0
}

function dropCaches(): void {
  execFileSync('sync')
  writeFileSync('/proc/sys/vm/drop_caches', '3')
}

/** Ids spread over all known ones, so that hardly any was requested before. */
function idOf(request: number, count: number): number {
  return (request * 2_654_435_761 + 12_345) % count
}

async function requestRows(service: Service, { tokens, pairs }: KnownSizes): Promise<BenchRow[]> {
  const { name: chain } = knownProfile
  const token = (at: number) => tokenOf(idOf(at, tokens))
  const pair = (at: number) => pairOf(idOf(at, pairs), tokens)
  const prices = (at: number) => ({
    method: 'POST',
    body: JSON.stringify({
      token_ids: Array.from(
        { length: pricesMax },
        (_, index) => `${token(at * pricesMax + index).address}-${chain}`,
      ),
      tvl_min: 0,
      tx_24h_volume_min: 0,
    }),
  })
  const search = (word: string) => `/v2/tokens?keyword=${word}&chain=${chain}&limit=20`
  const kinds: [string, (at: number) => [string, RequestInit?]][] = [
    ['token detail', (at) => [`/v2/tokens/${token(at).address}-${chain}`]],
    ['pair detail', (at) => [`/v2/pairs/${pair(at).address}-${chain}`]],
    ['search by an address', (at) => [search(token(at + 1_000).address)]],
    ['search by a symbol', (at) => [search(token(at + 2_000).symbol)]],
    [`${pricesMax} prices`, (at) => ['/v2/tokens/price', prices(at + 3_000)]],
    [
      'trending',
      (at) => [`/v2/tokens/trending?chain=${chain}&page_size=20&current_page=${at % 5}`],
    ],
  ]
  const rows: BenchRow[] = []
  for (const [metric, asked] of kinds) {
    const times: number[] = []
    for (let at = 0; at < requests; at += 1) times.push(await requestMs(service, asked(at)))
    times.sort((a, b) => a - b)
    const [middle, longest] = [times[requests / 2]!, times.at(-1)!]
    rows.push({
      metric: `${metric}, ${requests} in turn: p50; longest`,
      value: `${middle.toFixed(1)}; ${longest.toFixed(1)} ms`,
    })
  }
  return rows
}

async function requestMs(
  { ready }: Service,
  [path, given]: [string, RequestInit?],
): Promise<number> {
  const headers = { 'X-API-KEY': testApiKey, 'content-type': 'application/json' }
  const startMs = performance.now()
  const response = await fetch(`${ready.address}${path}`, { ...given, headers })
  const body = await response.text()
  if (!response.ok) throw new Error(`${path} was answered with ${response.status}: ${body}`)
  return performance.now() - startMs
}
