import type { Command } from 'commander'
import type { Config } from '../../config/schema/schema.ts'
import { onStopSignals } from '../../lib/shutdown.ts'
import type { BackfillProgress } from '../../ops/runBackfill.ts'
import { commandLogger } from '../commandLogger.ts'
import { addConfigOptions, loadFromOptions, parseBlock } from '../configOptions.ts'
import type { CliContext } from '../context.ts'
import { NoChainsError } from '../errors.ts'
import { printResult } from '../terminal/output.ts'
import { createProgressLine } from '../terminal/progressLine.ts'

export function fillBackfill(command: Command, context: CliContext): void {
  addConfigOptions(command, ['data-dir', 'database-url', 'log-level', 'log-format'])
    .option('--chain <name...>', 'only these chains')
    .option('--from <block>', 'first block, in place of start_block', parseBlock)
    .option('--again', 'first delete the stored data of the chains named by --chain')
    .option('--json', 'print one JSON object at the end, and no progress')
    .action((options) => backfill(options, context))
}

async function backfill(options: Record<string, unknown>, context: CliContext): Promise<void> {
  const loaded = loadFromOptions(options, context).config
  const wanted = (options.chain as string[] | undefined) ?? []
  const names = Object.keys(loaded.chains)
  const chains = wanted.length > 0 ? wanted : names
  if (names.length === 0 || !chains.every((name) => names.includes(name)))
    throw new NoChainsError(names, wanted)
  const isAgain = options.again === true
  // A forgotten argument must not delete all chains.
  if (isAgain && wanted.length === 0)
    throw new NoChainsError(names, wanted, { why: '--again needs named chains' })
  const config = withStartBlock(loaded, chains, options.from as number | undefined)

  const logger = commandLogger(config, context, { isService: true })
  const stop = new AbortController()
  const ignoreSignals = onStopSignals(context.signals, {
    onStop: (signal) => stop.abort(signal),
    exit: context.exit,
    nowMs: () => context.nowMs(),
  })
  const isJson = options.json === true
  const line = isJson ? null : createProgressLine(context.stdout, context.nowMs)
  const newest = new Map<string, BackfillProgress>()
  try {
    await context.app.runBackfill(config, {
      logger,
      signal: stop.signal,
      chains,
      isAgain,
      onProgress(progress) {
        newest.set(progress.chain, progress)
        line?.update(progress)
      },
    })
  } finally {
    line?.end()
    ignoreSignals()
  }
  const state = stop.signal.aborted ? 'stopped' : 'complete'
  printResult(context, {
    isJson,
    json: { state, chains: Object.fromEntries([...newest].map(toJson)) },
    lines: () => [stop.signal.aborted ? stoppedText(isAgain) : 'Complete.'],
  })
}

function stoppedText(isAgain: boolean): string {
  return `Stopped; the same command${isAgain ? ' without --again' : ''} resumes from here.`
}

function withStartBlock(
  config: Config,
  names: readonly string[],
  from: number | undefined,
): Config {
  if (from === undefined) return config
  const chains = Object.entries(config.chains).map(([name, chain]) => [
    name,
    names.includes(name) ? { ...chain, start_block: from } : chain,
  ])
  return { ...config, chains: Object.fromEntries(chains) }
}

function toJson([chain, progress]: [string, BackfillProgress]) {
  return [
    chain,
    {
      from_block: progress.fromBlock,
      next_block: progress.nextBlock,
      to_block: progress.toBlock,
      event_count: progress.eventCount,
      block_count: progress.blockCount,
    },
  ]
}
