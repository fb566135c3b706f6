import { Client, Pool } from 'pg'
import type { Logger } from '../lib/logger.ts'
import type { LogReader } from '../log/log.ts'
import { type AdoptChainOptions, adoptChain } from './adoptChain.ts'
import {
  checkServer,
  clientConfigOf,
  describeConnection,
  type StoreConnection,
} from './connection.ts'
import { databaseFault } from './databaseFault.ts'
import { type DropChainOptions, dropChain } from './dropChain.ts'
import { SchemaOldError, SchemaTooNewError } from './errors.ts'
import { openKeyStore } from './keys/openKeyStore.ts'
import { migrate, migrations, readVersion } from './migrate.ts'
import { createAuditReads } from './read/auditRows.ts'
import { type ChainLogOptions, openChainLog } from './read/chainLog.ts'
import { findChain, findChainNames, listChains } from './read/chains.ts'
import { ensureChain, loadCursor } from './read/cursors.ts'
import { loadDoubtfulBlocks } from './read/doubtfulBlocks.ts'
import {
  type HistoryQuery,
  type KlineQuery,
  type LiquidityQuery,
  loadKlines,
  loadLiquidity,
  loadSwaps,
  loadTrades,
  type TradesQuery,
} from './read/history.ts'
import { type BalanceKey, type Holder, loadBalances, topHolders } from './read/holders.ts'
import { loadLeftOut } from './read/leftOut.ts'
import { createLogReads } from './read/log.ts'
import { loadNews, type NewsQuery } from './read/news.ts'
import {
  findCouples,
  findPairs,
  findTokens,
  listPairs,
  loadSupplies,
  loadTokens,
  type PairListQuery,
} from './read/records.ts'
import { createRiskReports } from './read/riskReports.ts'
import { createSnapshotReads } from './read/snapshots.ts'
import {
  loadPositions,
  loadTokenPositions,
  type PositionQuery,
  type TokenPositionsQuery,
} from './read/wallets/positions.ts'
import {
  loadSmartWallets,
  refreshSmartWallets,
  type SmartWalletsRun,
} from './read/wallets/smartWallets.ts'
import { loadHistoryStart, loadWalletSwaps, type WalletSwapsQuery } from './read/wallets/wallets.ts'
import { loadWalletVolumes, type WalletVolumesQuery } from './read/wallets/walletVolumes.ts'
import { createWriterSet } from './writerSet.ts'

export type StoreLimits = {
  /** Connections for reads. */
  readConnectionsMax: number
  /** A read that takes longer is given up by the server. */
  readTimeoutMs: number
  /** How long a read waits for a free connection. */
  connectTimeoutMs: number
}

export const defaultStoreLimits: StoreLimits = {
  readConnectionsMax: 10,
  readTimeoutMs: 30_000,
  connectTimeoutMs: 10_000,
}

export type StoreOptions = {
  connection: StoreConnection
  logger: Logger
  limits?: Partial<StoreLimits>
}

export type Store = ReturnType<typeof createStore>

/** Connects, brings the schema up to date, and gives all that is written and read. */
export async function openStore(options: StoreOptions): Promise<Store> {
  await prepareSchema(options.connection, options.logger)
  return createStore(options)
}

/**
 * The same for whoever comes by while a service may be running: only an empty database gets a schema, one of another version
 * is left to those who write it.
 */
export async function openStoreAsIs(options: StoreOptions): Promise<Store> {
  const { connection, logger } = options
  const { found, known } = await readSchema(connection)
  if (found === 0) await prepareSchema(connection, logger)
  else if (found < known) throw new SchemaOldError({ found, known })
  else if (found > known) throw new SchemaTooNewError({ found, known })
  return createStore(options)
}

/** What the schema is, and what this version needs it to be. */
export async function readSchema(
  connection: StoreConnection,
): Promise<{ found: number; known: number }> {
  return { found: await withSchemaClient(connection, readVersion), known: migrations.length }
}

/** All that is written and read; of use once the schema is up to date. */
export function createStore({ connection, logger, limits }: StoreOptions) {
  const { readConnectionsMax, readTimeoutMs, connectTimeoutMs } = {
    ...defaultStoreLimits,
    ...limits,
  }
  const pool = new Pool({
    ...clientConfigOf(connection, 'chaintape'),
    max: readConnectionsMax,
    statement_timeout: readTimeoutMs,
    connectionTimeoutMillis: connectTimeoutMs,
  })
  // An idle connection that breaks is replaced by the next read. Those of a closed pool may still be on their way out.
  pool.on('error', (error) => {
    if (!pool.ending) logger.warn({ msg: 'Lost an idle store connection', err: error })
  })
  const keys = openKeyStore(connection, logger)
  const writers = createWriterSet(connection, logger)

  async function findTopHolders(
    chainId: number,
    tokenId: number,
    limit: number,
  ): Promise<Holder[]> {
    const { holders, isBarTooHigh } = await topHolders(pool, chainId, tokenId, limit)
    if (isBarTooHigh) writers.find(chainId)?.requestHolderBar(tokenId)
    return holders
  }

  return {
    openWriter: writers.open,
    ensureChain: (name: string) => ensureChain(pool, name),
    listChains: () => listChains(pool),
    findChain: (name: string) => findChain(pool, name),
    /** Of a chain that nobody writes any more. */
    dropChain: (chainId: number, drop: Pick<DropChainOptions, 'signal' | 'limits'> = {}) =>
      dropChain({ connection, chainId, ...drop }),
    adoptChain: (adopt: Omit<AdoptChainOptions, 'connection'>) =>
      adoptChain({ connection, ...adopt }),
    findChainNames: (prefix: string) => findChainNames(pool, prefix),
    loadCursor: (chainId: number) => loadCursor(pool, chainId),
    openLog: (options: ChainLogOptions): LogReader => openChainLog(pool, options),
    ...createLogReads(pool),
    findTokens: (chainId: number, addresses: readonly string[]) =>
      findTokens(pool, chainId, addresses),
    findCouples: (chainId: number, pools: readonly string[]) => findCouples(pool, chainId, pools),
    findPairs: (chainId: number, addresses: readonly string[]) =>
      findPairs(pool, chainId, addresses),
    listPairs: (chainId: number, list: PairListQuery) => listPairs(pool, chainId, list),
    loadTokens: (chainId: number, ids: readonly number[]) => loadTokens(pool, chainId, ids),
    loadLeftOut: (chainId: number) => loadLeftOut(pool, chainId),
    loadDoubtfulBlocks: (chainId: number, limit: number) =>
      loadDoubtfulBlocks(pool, chainId, limit),
    loadSupplies: (chainId: number, ids: readonly number[]) => loadSupplies(pool, chainId, ids),
    loadBalances: (chainId: number, keys: readonly BalanceKey[]) =>
      loadBalances(pool, chainId, keys),
    topHolders: findTopHolders,
    loadSwaps: (query: HistoryQuery) => loadSwaps(pool, query),
    loadLiquidity: (query: LiquidityQuery) => loadLiquidity(pool, query),
    loadKlines: (query: KlineQuery) => loadKlines(pool, query),
    loadTrades: (query: TradesQuery) => loadTrades(pool, query),
    loadNews: (query: NewsQuery) => loadNews(pool, query),
    loadWalletSwaps: (query: WalletSwapsQuery) => loadWalletSwaps(pool, query),
    loadHistoryStart: (chainId: number) => loadHistoryStart(pool, chainId),
    loadPositions: (query: PositionQuery) => loadPositions(pool, query),
    loadTokenPositions: (query: TokenPositionsQuery) => loadTokenPositions(pool, query),
    loadSmartWallets: (chainId: number) => loadSmartWallets(pool, chainId),
    loadWalletVolumes: (query: WalletVolumesQuery) => loadWalletVolumes(pool, query),
    refreshSmartWallets: (run: SmartWalletsRun) => refreshSmartWallets(pool, run),
    ...createSnapshotReads(pool, logger),
    ...{ ...createAuditReads(pool), ...createRiskReports(pool) },
    ...keys,
    /** Closes the writers first: what is queued is stored if the database lets it. */
    async close() {
      await writers.close()
      await Promise.all([pool.end(), keys.close()])
    },
  }
}

/** Brings the schema up to date. */
export async function prepareSchema(connection: StoreConnection, logger: Logger): Promise<void> {
  await withSchemaClient(connection, (client) => migrate(client, { logger }))
}

async function withSchemaClient<result>(
  connection: StoreConnection,
  run: (client: Client) => Promise<result>,
): Promise<result> {
  const client = new Client(clientConfigOf(connection, 'chaintape migration'))
  client.on('error', () => undefined)
  try {
    await client.connect()
    await checkServer(client)
    return await run(client)
  } catch (error) {
    throw databaseFault(error, describeConnection(connection))
  } finally {
    await client.end().catch(() => undefined)
  }
}
