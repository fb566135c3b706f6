import type { Command } from 'commander'
import { checkRelations } from '../../config/check/checkRelations.ts'
import { ConfigError } from '../../config/errors.ts'
import type { Config } from '../../config/schema/schema.ts'
import { createShutdown, onStopSignals } from '../../lib/shutdown.ts'
import { commandLogger, logLookOf } from '../commandLogger.ts'
import { addConfigOptions, loadFromOptions, startFlags } from '../configOptions.ts'
import type { CliContext } from '../context.ts'
import { NoChainsError, StopIncompleteError } from '../errors.ts'
import { printLines, styleOf } from '../terminal/output.ts'
import { calledWith, readyJson, readyText } from '../terminal/readyText.ts'
import { createStepLines } from '../terminal/stepLines.ts'

export function fillStart(command: Command, context: CliContext): void {
  addConfigOptions(command, startFlags)
    .option('--chains <names>', 'only these configured chains, such as eth,base')
    .option('--json', 'print one JSON object when ready')
    .action((options) => start(options, context))
}

async function start(options: Record<string, unknown>, context: CliContext): Promise<void> {
  const { config: loaded, warnings, advice } = loadFromOptions(options, context)
  const config = onlyChains(loaded, options.chains as string | undefined)
  const logger = commandLogger(config, context, { isService: true })
  for (const { path, message } of warnings)
    logger.warn({ msg: 'Ignored a setting', name: path, reason: message })
  for (const { path, message } of advice)
    logger.warn({ msg: 'Check this setting', name: path, reason: message })

  const look = logLookOf(config, context)
  const isWatched = look.format === 'text' && look.isTerminal
  const steps = isWatched ? createStepLines(context.stderr, context.nowMs) : null
  const graceMs = config.fixed.stop_ms_max
  const shutdown = createShutdown({ logger, graceMs, isAnnounced: true })
  const stopped = new Promise<void>((resolve) => {
    shutdown.signal.addEventListener('abort', () => resolve())
  })
  const ignoreSignals = onStopSignals(context.signals, {
    onStop: (signal) => {
      steps?.end(false)
      steps?.show({ title: 'Stopping' })
      void shutdown.stop(signal)
    },
    exit: context.exit,
    nowMs: () => context.nowMs(),
  })
  let failure: unknown
  try {
    const starting = context.app.startApp(config, {
      logger,
      version: context.version,
      leftOut: Object.keys(loaded.chains).filter((name) => config.chains[name] === undefined),
      signal: shutdown.signal,
      onStep: steps?.show,
      onReady(info) {
        steps?.end(info.waiting.length === 0)
        if (options.json === true) printLines(context.stdout, [JSON.stringify(readyJson(info))])
        else context.stdout.write(readyText(info, calledWith(options), styleOf(context.stdout)))
      },
    })
    // A stop during the start waits for it: nothing else could stop a half-started service.
    shutdown.add('service', async () => {
      const app = await starting.catch(() => null)
      await app?.stop()
    })
    const app = await Promise.race([starting, stopped])
    if (app) await Promise.race([app.done, stopped])
  } catch (error) {
    failure = error
    steps?.end(false)
  }
  const outcome = await shutdown.stop(failure === undefined ? 'end' : 'failure')
  steps?.end(outcome === 'clean')
  if (failure === undefined && outcome === 'clean') steps?.print('Stopped.')
  ignoreSignals()
  if (failure !== undefined) throw failure
  if (outcome !== 'clean') throw new StopIncompleteError({ outcome, graceMs })
}

/** The configuration with only these of its chains. */
function onlyChains(config: Config, list: string | undefined): Config {
  if (list === undefined) return config
  const wanted = list.split(',').map((name) => name.trim())
  const names = Object.keys(config.chains)
  if (!wanted.every((name) => names.includes(name)))
    throw new NoChainsError(names, wanted, { what: 'start' })
  const chains = Object.entries(config.chains).filter(([name]) => wanted.includes(name))
  const only = { ...config, chains: Object.fromEntries(chains) }
  // A chain whose price comes from another chain needs that chain, too.
  const problems = checkRelations(only)
  if (problems.length > 0) throw new ConfigError(problems)
  return only
}
