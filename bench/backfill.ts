// Backfill from the local chain's RPC into the store, as `chaintape backfill` does it, against a
// bare loop that reads the same with JSON.parse only. Node, database, bare loop and service are
// separate processes. Time is measured from the node's first request to the last block in the
// database; the start is a separate figure. Measured twice: with all processes on this machine, and
// with a recorded node, as if it had its own machine.
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { runProgram, writeChainConfig } from '../test/support/program.ts'
import { type BenchRow, type BenchTable, countText } from './benchTable.ts'
import { loadCompiled } from './loadCompiled.ts'
import { type NodeProcess, startNodeProcess } from './nodeProcess.ts'
import { type MarketNode, startMarketNode } from './startMarketNode.ts'

const run = promisify(execFile)
// Long enough that compiling, two seconds of CPU at the beginning of a run, is a small part of it.
const blocks = 19_200
const rounds = 3
const range = 128
const lanes = 4
// Finer than a hundredth of a run, and no noticeable load.
const pollMs = 25

type Bare = { logs: number; ms: number; lateMs: number }
type Ours = { events: number; ms: number; lateMs: number; startMs: number }
type Round = { bare: Bare; ours: Ours }
type ReadNode = Pick<MarketNode, 'rpcUrl' | 'profile' | 'nextRequest'>

export async function runBackfillBench(): Promise<BenchTable> {
  const node = await startMarketNode()
  const paced = startNodeProcess('./pacedNode.ts', [node.rpcUrl])
  try {
    const { rpcUrl } = await paced.next('ready')
    const pacedNode = { ...node, rpcUrl, nextRequest: paced.nextRequest }
    const head = await node.mine(blocks)
    // A first run warms the node up; otherwise the first contestant would find it cold. Answers
    // that are not recorded here cannot be paced later.
    await runBareLoop(node.rpcUrl, head)
    await runRound(pacedNode, head, 0)
    await timeAnswers(paced)
    const shared: Round[] = []
    const apart: Round[] = []
    for (let round = 0; round < rounds; round += 1) {
      shared.push(await runRound(node, head, round))
      apart.push(await runRound(pacedNode, head, round))
    }
    return {
      name: `backfill: ${head} blocks, ${countText(shared[0]!.bare.logs)} logs, medians of ${rounds} rounds`,
      rows: [...rowsOf(shared, 'all on one machine'), ...rowsOf(apart, 'the node on its own')],
    }
  } finally {
    paced.stop()
    node.stop()
  }
}

function rowsOf(done: readonly Round[], where: string): BenchRow[] {
  const middle = Math.floor(done.length / 2)
  const sorted = (of: (round: Round) => number) => done.map(of).sort((a, b) => a - b)
  const perS = (of: (round: Round) => number) => countText(sorted(of)[middle]! * 1_000)
  const ratios = (ratioOf: (round: Round) => number) => {
    const all = sorted(ratioOf).map((ratio) => ratio.toFixed(2))
    return `${all[middle]} (${all[0]} to ${all.at(-1)})`
  }
  return [
    {
      metric: `${where}: bare loop (eth_getLogs, full blocks, JSON.parse), logs/s`,
      value: perS(({ bare }) => bare.logs / bare.ms),
    },
    { metric: 'into the store, logs/s', value: perS(({ bare, ours }) => bare.logs / ours.ms) },
    { metric: 'market events stored/s', value: perS(({ ours }) => ours.events / ours.ms) },
    {
      metric: 'against the bare loop, all blocks',
      value: ratios(({ bare, ours }) => bare.ms / ours.ms),
      goal: '0.70',
    },
    {
      metric: 'the same without the first third, in which V8 compiles',
      value: ratios(({ bare, ours }) => bare.lateMs / ours.lateMs),
      goal: '0.70',
    },
    {
      metric: 'start to the first request, ms',
      value: countText(sorted(({ ours }) => ours.startMs)[middle]!),
    },
  ]
}

/**
 * Times the node's answers while the service is idle: answers recorded during a run were slower.
 */
async function timeAnswers({ next, order }: NodeProcess): Promise<void> {
  const timed = next('timed')
  order({ type: 'time' })
  await timed
}

/** Runs both contestants once, in alternating order. */
async function runRound(node: ReadNode, head: number, round: number): Promise<Round> {
  const early = round % 2 === 0 ? await runBareLoop(node.rpcUrl, head) : null
  const ours = await runBackfill(node, head)
  return { ours, bare: early ?? (await runBareLoop(node.rpcUrl, head)) }
}

export async function runBareLoop(rpcUrl: string, to: number): Promise<Bare> {
  const script = fileURLToPath(new URL('./bareLoop.ts', import.meta.url))
  const args = ['--import', 'tsx', script, rpcUrl, `${to}`, `${range}`, `${lanes}`]
  const { stdout } = await run(process.execPath, args)
  return JSON.parse(stdout) as Bare
}

export async function runBackfill(node: ReadNode, head: number): Promise<Ours> {
  const dataDir = await mkdtemp(join(tmpdir(), 'chaintape-bench-'))
  const database = await openDatabase(dataDir, node.profile.name)
  try {
    const limits = { log_range_blocks_max: range, backfill_ranges_max: lanes }
    const config = await writeChainConfig(dataDir, node, { limits })
    const firstRequest = node.nextRequest()
    const spawnedMs = Date.now()
    const program = runProgram(['backfill', '--config', config, '--json'])
    const stored = database.untilStored(head / 3).then(async (lateFromMs) => ({
      lateFromMs,
      toMs: await database.untilStored(head),
    }))
    const fromMs = await Promise.race([firstRequest, failed(program)])
    const { lateFromMs, toMs } = await Promise.race([stored, failed(program)])
    if ((await program.ended) !== 0) throw new Error(`backfill failed: ${program.stderr()}`)
    const { chains } = JSON.parse(program.stdout()) as {
      chains: Record<string, { event_count: number }>
    }
    const events = chains[node.profile.name]!.event_count
    return { events, ms: toMs - fromMs, lateMs: toMs - lateFromMs, startMs: fromMs - spawnedMs }
  } finally {
    await database.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function failed(program: ReturnType<typeof runProgram>): Promise<never> {
  const code = await program.ended
  throw new Error(`backfill ended with ${code}: ${program.stderr()}`)
}

/** Starts the service's own database server in advance and empty; the service adopts it. */
async function openDatabase(dataDir: string, chain: string) {
  const { createLogger } = await loadCompiled('lib/logger')
  const { startPrivatePostgres } = await loadCompiled('store/privatePostgres')
  const { openStore } = await loadCompiled('store/openStore')
  const logger = createLogger('warn')
  const server = await startPrivatePostgres({ dataDir, logger })
  const store = await openStore({ connection: server.connection, logger })
  const chainId = await store.ensureChain(chain)
  return {
    /** Resolves with the unix time in ms at which the store has this block. */
    async untilStored(number: number): Promise<number> {
      while ((await store.loadCursor(chainId)).number < number) await delay(pollMs)
      return Date.now()
    },
    async stop() {
      await store.close()
      await server.stop()
    },
  }
}
