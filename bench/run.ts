// Runs every benchmark, one after another, and prints tables: `npm run bench`, or `npm run bench --
// engine decode`. Options: `--minutes 10`, time for slow readers; `--parts shares,flood`, parts of
// rest, cluster or tip; `--floods pages,metrics`, words in names of floods; `--pairs`, `--tokens`
// and `--active`, size of the market for known, restart and `cluster --parts start`; `--memory`,
// bytes of rows and records that this market may keep in memory.
import { execFileSync } from 'node:child_process'
import { cpus, loadavg, totalmem } from 'node:os'
import { parseArgs } from 'node:util'
import { runBackfillBench } from './backfill.ts'
import { type BenchTable, tableText } from './benchTable.ts'
import { runBlockToMarketBench } from './blockToMarket.ts'
import { runClientBench } from './client.ts'
import { runClusterBench } from './cluster.ts'
import { runDecodeBench } from './decode.ts'
import { runEncodeBench } from './encode.ts'
import { runEngineBench } from './engine.ts'
import { runFloodsBench } from './floods.ts'
import { runKnownBench } from './known.ts'
import { runPeersBench } from './peers.ts'
import { type RestPart, restParts, runRestBench } from './rest.ts'
import { runRestartBench } from './restart.ts'
import { runScreenerBench } from './screener.ts'
import { runSearchBench } from './search.ts'
import { runSnapshotBench } from './snapshot.ts'
import { runSolanaBench } from './solana.ts'
import { runStoreBench } from './store.ts'
import { runTakeoverBench } from './takeover.ts'
import { runTerminalBench } from './terminal.ts'
import { runTipBench } from './tip.ts'
import { runWsFanOutBench } from './wsFanOut.ts'
import { runWsLatencyBench } from './wsLatency.ts'
import { runWsSlowReadersBench } from './wsSlowReaders.ts'
import { runWsTopicsBench } from './wsTopics.ts'

const { positionals: wanted, values } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: 'string', default: '1' },
    parts: { type: 'string', default: restParts.join() },
    floods: { type: 'string', default: '' },
    pairs: { type: 'string', default: '1000000' },
    tokens: { type: 'string' },
    active: { type: 'string', default: '100000' },
    memory: { type: 'string', default: '805306368' },
  },
})
const knownSizes = (tokens: number) => ({
  pairs: Number(values.pairs),
  tokens: Number(values.tokens ?? tokens),
  active: Number(values.active),
  memory: Number(values.memory),
})
const benches: Record<string, () => Promise<BenchTable>> = {
  decode: runDecodeBench,
  engine: runEngineBench,
  search: runSearchBench,
  solana: runSolanaBench,
  screener: runScreenerBench,
  snapshot: runSnapshotBench,
  known: () => runKnownBench(knownSizes(2_000_000)),
  restart: () => runRestartBench(knownSizes(2_000_000)),
  backfill: runBackfillBench,
  peers: () => runPeersBench(),
  blockToMarket: runBlockToMarketBench,
  store: runStoreBench,
  tip: () => runTipBench(values.parts.split(',')),
  cluster: () => runClusterBench(values.parts.split(','), knownSizes(1_000_000)),
  takeover: () => runTakeoverBench(),
  rest: () => runRestBench(values.parts.split(',') as RestPart[]),
  floods: () => runFloodsBench(values.floods.split(',')),
  encode: runEncodeBench,
  client: runClientBench,
  terminal: runTerminalBench,
  wsFanOut: runWsFanOutBench,
  wsTopics: runWsTopicsBench,
  wsLatency: runWsLatencyBench,
  wsSlowReaders: () => runWsSlowReadersBench({ minutes: Number(values.minutes) }),
}

const unknown = wanted.filter((name) => !(name in benches))
if (unknown.length > 0) {
  console.error(
    `No such benchmark: ${unknown.join(', ')}. There are: ${Object.keys(benches).join(', ')}.`,
  )
  process.exit(2)
}
const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
const gib = Math.round(totalmem() / 2 ** 30)
console.log(
  `Commit ${commit}, Node ${process.version}, ${process.platform} ${process.arch}, ${cpus().length} cores, ${gib} GiB, load ${loadavg()[0]!.toFixed(1)}\n`,
)
// Benches that install third-party programs run only when named.
const all = Object.keys(benches).filter((name) => name !== 'peers')
const chosen = wanted.length === 0 ? all : wanted
for (const [name, run] of Object.entries(benches))
  if (chosen.includes(name)) console.log(tableText(await run()))
process.exit(0)
