import type { ChainHealth, LiveBody, ReadyBody } from '@chaintape/protocol'
import type { Command } from 'commander'
import { readDataDirId } from '../../app/dataDir.ts'
import { configFields } from '../../config/schema/fields.ts'
import type { Config } from '../../config/schema/schema.ts'
import type { StoredStatus } from '../../ops/readStoredStatus.ts'
import { commandLogger } from '../commandLogger.ts'
import { addConfigOptions, loadFromOptions, localAddress } from '../configOptions.ts'
import type { CliContext } from '../context.ts'
import { NotRunningError } from '../errors.ts'
import { printResult, table, timeText } from '../terminal/output.ts'

export function fillStatus(command: Command, context: CliContext): void {
  addConfigOptions(command, ['port', 'host', 'data-dir', 'database-url', 'log-level', 'log-format'])
    .option('--json', 'print one JSON object')
    .action((options) => status(options, context))
}

async function status(options: Record<string, unknown>, context: CliContext): Promise<void> {
  const { config } = loadFromOptions(options, context)
  const address = localAddress(config.server)
  const isJson = options.json === true
  const found = await probeService(address)
  const isOurs = found !== null && (await usesDataOf(config, found.live))
  if (isOurs) {
    const { health } = found
    const json = { running: true, address, health, stored: null }
    printResult(context, { isJson, json, lines: () => runningLines(address, health) })
    return
  }
  const stored = await context.app.readStoredStatus(config, {
    logger: commandLogger(config, context),
  })
  const json = { running: false, address, health: null, stored: stored && storedJson(stored) }
  printResult(context, { isJson, json, lines: () => storedLines(config.data_dir, stored) })
  throw new NotRunningError({ address, otherData: found !== null })
}

/**
 * Does this service use the configured data directory? A command without one, such as on another
 * machine or beside a container, accepts any service.
 */
async function usesDataOf(
  config: Config,
  { data_dir_id: id }: Partial<LiveBody>,
): Promise<boolean> {
  // Older services do not report it.
  if (id === undefined) return true
  const known = await readDataDirId(config.data_dir)
  return known === null ? config.data_dir === defaultDataDir() : known === id
}

const defaultDataDir = () =>
  configFields().find(({ path }) => path === 'data_dir')!.node.default as string

function runningLines(address: string, health: ReadyBody): string[] {
  const rows = Object.entries(health.chains).map(([name, chain]) => [
    chain.demo ? `${name} (demo)` : name,
    chain.state,
    chain.ready ? 'yes' : 'no',
    String(chain.head_block ?? '-'),
    timeText(chain.head_time),
    String(chain.lag_blocks ?? '-'),
    String(chain.persisted_block ?? '-'),
    `${chain.queue_blocks}/${chain.queue_blocks_max}`,
    String(chain.first_block ?? '-'),
    chain.history_complete ? 'complete' : 'incomplete',
  ])
  const headers = [
    'chain',
    'state',
    'ready',
    'head',
    'head time',
    'lag',
    'stored',
    'queue',
    'first',
    'history',
  ]
  const gaps = Object.entries(health.chains).flatMap(([name, { history_missing }]) =>
    history_missing.map(({ msg }) => `${name}: history: ${msg}`),
  )
  return [
    `Running at ${address}, ${health.ready ? 'ready' : 'not ready'}.`,
    ...health.reasons,
    ...health.warnings,
    ...gaps,
    ...Object.entries(health.chains).flatMap(([name, { audit }]) => auditLines(name, audit)),
    '',
    ...table([headers, ...rows]),
  ]
}

/** Audit results of a service that audits its store. */
function auditLines(name: string, audit: ChainHealth['audit'] | undefined): string[] {
  // Older services do not report it.
  if (!audit || audit.checked_at === null) return []
  const found = audit.differences === 0 ? 'no difference' : `${audit.differences} differences`
  const compared = `${audit.checked_blocks} blocks and ${audit.checked_balances} balances`
  return [`${name}: audit: ${compared} compared, last at ${timeText(audit.checked_at)}: ${found}`]
}

function storedJson({ chains }: StoredStatus) {
  return {
    chains: chains.map(({ name, block, timeS, finalizedBlock, firstNumber, swapsFromS }) => ({
      name,
      block,
      time: timeS,
      finalized_block: finalizedBlock,
      first_block: firstNumber,
      swaps_from: swapsFromS,
    })),
  }
}

function storedLines(dataDir: string, stored: StoredStatus | null): string[] {
  if (stored === null) return [`Nothing is stored in ${dataDir} yet.`]
  const rows = stored.chains.map((chain) => [
    chain.name,
    String(chain.block),
    timeText(chain.timeS),
    String(chain.finalizedBlock ?? '-'),
    String(chain.firstNumber ?? '-'),
    chain.swapsFromS === null ? 'the first block' : timeText(chain.swapsFromS),
  ])
  return [
    'Stored:',
    '',
    ...table([['chain', 'block', 'block time', 'finalized', 'first', 'swaps from'], ...rows]),
  ]
}

// A local service answers within milliseconds unless it hangs.
const probeMsMax = 5_000

type FoundService = { health: ReadyBody; live: Partial<LiveBody> }

/** Asks the service at an address; null if no Chaintape answers there. */
async function probeService(address: string): Promise<FoundService | null> {
  const signal = AbortSignal.timeout(probeMsMax)
  const bodyOf = async (path: string): Promise<unknown> =>
    await (await fetch(`${address}${path}`, { signal })).json()
  try {
    const [health, live] = await Promise.all([bodyOf('/health/ready'), bodyOf('/health/live')])
    return isReadyBody(health) ? { health, live: (live ?? {}) as Partial<LiveBody> } : null
  } catch {
    // Refused, timed out or not JSON: the service does not run there.
    return null
  }
}

function isReadyBody(body: unknown): body is ReadyBody {
  return typeof body === 'object' && body !== null && 'ready' in body && 'chains' in body
}
