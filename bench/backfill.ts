// From the local chain's RPC into the store, as `chaintape backfill` does it, against a bare loop that reads the same
// with JSON.parse alone. The node, the bare loop and the service are processes of their own.
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { runProgram, writeChainConfig } from '../test/support/program.ts'
import { type BenchTable, countText } from './benchTable.ts'
import { startMarketNode } from './startMarketNode.ts'

const run = promisify(execFile)
// Long enough that a bare loop takes some seconds: a second of compiling is not what a backfill costs.
const blocks = 9_600
const rounds = 3
const range = 128
const lanes = 4

export async function runBackfillBench(): Promise<BenchTable> {
  const node = await startMarketNode()
  try {
    const head = await node.mine(blocks)
    const ratios: { ratio: number; bare: number; ours: number; stored: number }[] = []
    for (let round = 0; round < rounds; round += 1) {
      const bare = await runBareLoop(node.rpcUrl, head)
      const ours = await runBackfill(node, head)
      const bareRate = (bare.logs / bare.ms) * 1_000
      const oursRate = (bare.logs / ours.ms) * 1_000
      const stored = (ours.events / ours.ms) * 1_000
      ratios.push({ ratio: oursRate / bareRate, bare: bareRate, ours: oursRate, stored })
    }
    const median = ratios.sort((a, b) => a.ratio - b.ratio)[Math.floor(rounds / 2)]!
    return {
      name: `backfill: ${head} blocks, median of ${rounds} rounds`,
      rows: [
        {
          metric: 'bare loop (eth_getLogs, full blocks, JSON.parse), logs/s',
          value: countText(median.bare),
        },
        { metric: 'backfill into the store, logs/s', value: countText(median.ours) },
        { metric: 'market events stored/s', value: countText(median.stored) },
        { metric: 'backfill / bare loop', value: median.ratio.toFixed(2), goal: '0.70' },
      ],
    }
  } finally {
    node.stop()
  }
}

async function runBareLoop(rpcUrl: string, to: number): Promise<{ logs: number; ms: number }> {
  const script = fileURLToPath(new URL('./bareLoop.ts', import.meta.url))
  const args = ['--import', 'tsx', script, rpcUrl, `${to}`, `${range}`, `${lanes}`]
  const { stdout } = await run(process.execPath, args)
  return JSON.parse(stdout) as { logs: number; ms: number }
}

async function runBackfill(
  node: Parameters<typeof writeChainConfig>[1],
  head: number,
): Promise<{ events: number; ms: number }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'chaintape-bench-'))
  try {
    const limits = { log_range_blocks_max: range, backfill_ranges_max: lanes }
    const config = await writeChainConfig(dataDir, node, { limits })
    // Making the database is not what is measured; nor is starting and stopping, which a run with nothing to do takes, too.
    await timeProgram(['keys', 'list', '--config', config, '--json'])
    const full = await timeProgram(['backfill', '--config', config, '--json'])
    const empty = await timeProgram(['backfill', '--config', config, '--json'])
    const { chains } = JSON.parse(full.stdout) as {
      chains: Record<string, { event_count: number; next_block: number }>
    }
    const chain = chains[node.profile.name]!
    if (chain.next_block <= head) throw new Error(`backfill stopped at ${chain.next_block}`)
    return { events: chain.event_count, ms: full.ms - empty.ms }
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function timeProgram(args: readonly string[]): Promise<{ stdout: string; ms: number }> {
  const startMs = performance.now()
  const program = runProgram(args)
  const code = await program.ended
  if (code !== 0) throw new Error(`${args[0]} ended with ${code}: ${program.stderr()}`)
  return { stdout: program.stdout(), ms: performance.now() - startMs }
}
