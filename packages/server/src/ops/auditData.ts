import { configuredSetups } from '../app/chain/configuredChains.ts'
import { openDatabase, requireDatabase, storeLimitsOf } from '../app/openDatabase.ts'
import { auditChain } from '../audit/auditChain.ts'
import { type AuditFinding, type AuditResult, auditInputOf } from '../audit/auditRequest.ts'
import type { Config } from '../config/schema/schema.ts'
import type { ChainSetup } from '../kinds/chainSetup.ts'
import type { Logger } from '../lib/logger.ts'
import { lowestNumberAfter } from '../model/block.ts'
import { WriterLockedError } from '../store/errors.ts'
import { openStoreAsIs, type Store } from '../store/openStore.ts'
import { NothingAuditedError } from './errors.ts'
import { type BackfillProgress, runBackfill } from './runBackfill.ts'

export type AuditOptions = {
  logger: Logger
  signal: AbortSignal
  /** Names of configured chains to audit. */
  chains: readonly string[]
  from?: number | undefined
  to?: number | undefined
  /** Re-reads chains in which a stored block differs from its nodes. @default false */
  isRepair?: boolean | undefined
  onFinding(chain: string, finding: AuditFinding): void
  onProgress(progress: BackfillProgress): void
}

export type AuditedChain = AuditResult & {
  chain: string
  /**
   * Outcome of the repair. Null: not requested, or nothing differs. done: the chain was re-read and
   * compared again. service: a running service does the repair. none: the differences name no block
   * to re-read. stopped: interrupted; the next start continues.
   */
  repair: 'done' | 'service' | 'none' | 'stopped' | null
}

const rangeBlocks = 100
// One marked block is enough to have the chain re-read; the other marks are for the operator.
const marksMax = 1_000

/** Compares stored chains with their nodes. Works with and without a running service. */
export async function auditData(config: Config, options: AuditOptions): Promise<AuditedChain[]> {
  requireDatabase(config)
  const audited: AuditedChain[] = []
  await withStore(config, options, async (store) => {
    for (const setup of chosenSetups(config, options)) {
      const result = await auditStored(config, store, setup, options)
      audited.push(result)
      if (result.repair === 'done') await markUntrueBlocks(store, setup, result)
    }
  })
  const wanted = audited.filter(({ repair }) => repair === 'done')
  for (const chain of wanted) Object.assign(chain, await repair(config, chain, options))
  return audited
}

function chosenSetups(config: Config, { chains }: AuditOptions): ChainSetup[] {
  return configuredSetups(config).filter(({ profile }) => chains.includes(profile.name))
}

async function withStore<result>(
  config: Config,
  { logger }: AuditOptions,
  work: (store: Store) => Promise<result>,
): Promise<result> {
  const database = await openDatabase(config, { logger })
  try {
    const { connection } = database
    const store = await openStoreAsIs({ connection, logger, limits: storeLimitsOf(config) })
    try {
      return await work(store)
    } finally {
      await store.close()
    }
  } finally {
    await database.stop()
  }
}

/** Returns `repair: 'done'` where a repair is due, before the repair itself runs. */
async function auditStored(
  config: Config,
  store: Store,
  setup: ChainSetup,
  options: AuditOptions,
): Promise<AuditedChain> {
  const { name: chain } = setup.profile
  const { from, to, logger, signal } = options
  const chainId = await store.findChain(setup.storeName)
  const cursor = chainId === null ? null : await store.loadCursor(chainId)
  if (chainId === null || cursor === null || cursor.number < 0)
    throw new NothingAuditedError({ chain })
  const fromBlock = Math.max(from ?? 0, cursor.firstNumber ?? 0)
  const toBlock = Math.min(to ?? cursor.number, cursor.number)
  let blockCount = 0
  const result = await auditChain({
    ...auditInputOf(config.retention, setup, config.chains[chain]!.history.rate_percent),
    chainId,
    store,
    from,
    to,
    rangeBlocks,
    logger,
    signal,
    onFinding: (finding) => options.onFinding(chain, finding),
    onCompared(count, number) {
      blockCount += count
      const nextBlock = lowestNumberAfter(number)
      options.onProgress({ chain, fromBlock, nextBlock, toBlock, eventCount: 0, blockCount })
    },
  })
  const isWanted = options.isRepair === true && result.findingCount > 0
  if (!isWanted) return { chain, ...result, repair: null }
  return { chain, ...result, repair: blocksOf(result).length > 0 ? 'done' : 'none' }
}

function blocksOf({ findings }: AuditResult): { number: number; hash: string }[] {
  const blocks = new Map(findings.flatMap(({ block }) => (block ? [[block.number, block]] : [])))
  return [...blocks.values()].slice(0, marksMax)
}

/** Marks differing blocks as untrue. The next process that opens the chain re-reads them. */
async function markUntrueBlocks(
  store: Store,
  setup: ChainSetup,
  result: AuditResult,
): Promise<void> {
  const chainId = await store.findChain(setup.storeName)
  if (chainId !== null) await store.markUntrue(chainId, blocksOf(result))
}

/**
 * Re-reads a chain with the same backfill a service runs, unless a service is running, then
 * compares again.
 */
async function repair(
  config: Config,
  { chain }: AuditedChain,
  options: AuditOptions,
): Promise<Partial<AuditedChain>> {
  const { logger, signal, onProgress } = options
  try {
    await runBackfill(config, { logger, signal, chains: [chain], onProgress })
  } catch (error) {
    if (error instanceof WriterLockedError) return { repair: 'service' }
    throw error
  }
  if (signal.aborted) return { repair: 'stopped' }
  const again = { ...options, chains: [chain], isRepair: false }
  const [setup] = chosenSetups(config, again)
  return await withStore(config, options, async (store) => ({
    ...(await auditStored(config, store, setup!, again)),
    repair: 'done',
  }))
}
