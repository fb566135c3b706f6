import { type ClientBase, Pool } from 'pg'
import type { Logger } from '../lib/logger.ts'
import type { LogReader } from '../log/log.ts'
import { type AdoptChainOptions, adoptChain } from './adoptChain.ts'
import { type BlockWriter, type BlockWriterOptions, openBlockWriter } from './blockWriter.ts'
import { clientConfigOf, logLostConnections, type StoreConnection } from './connection.ts'
import { type DropChainOptions, dropChain } from './dropChain.ts'
import { StoreBehindError } from './errors.ts'
import { openKeyStore } from './keys/openKeyStore.ts'
import { createAuditReads } from './read/auditRows.ts'
import {
  ensureChain,
  findChain,
  findChainNames,
  listChains,
  loadCursor,
  readChainIds,
} from './read/chains.ts'
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
import { type BalanceKey, loadBalances, type TopHolders, topHolders } from './read/holders.ts'
import {
  type ChainLogOptions,
  createLogReads,
  loadPairMilestones,
  loadUnverifiedBlocks,
  openChainLog,
  type PairMilestonesQuery,
} from './read/log.ts'
import {
  loadHistoryStart,
  loadPositions,
  loadTokenPositions,
  loadWalletSwaps,
  type PositionQuery,
  type TokenPositionsQuery,
  type WalletSwapsQuery,
} from './read/positions.ts'
import { createRiskReports } from './read/riskReports.ts'
import {
  loadSmartWallets,
  loadWalletVolumes,
  refreshSmartWallets,
  type SmartWalletsRun,
  type WalletVolumesQuery,
} from './read/smartWallets.ts'
import { createSnapshotReads } from './read/snapshots.ts'
import {
  findPairs,
  findPairsOfPools,
  findTokens,
  listPairs,
  loadIgnoredContracts,
  loadSupplies,
  loadTokens,
  type PairListQuery,
} from './recordRows.ts'
import { prepareEmptySchema, prepareSchema } from './schema.ts'
import { StoreClient } from './storeClient.ts'

/** The entries that a server must have of each chain to be read from: memory has released them. */
export type RequiredSeqs = {
  of(chainId: number): number
  /** Never falls. */
  raise(chainId: number, seq: number): void
  /**
   * Checks a server with a new session; rejects if it lacks entries. A running server never loses
   * any.
   */
  check(client: ClientBase): Promise<void>
}

/** `isFilled`: a store that is behind is filled from the log, so waiting for it helps. */
export function createRequiredSeqs({ isFilled }: { isFilled: boolean }): RequiredSeqs {
  const floors = new Map<number, number>()
  const of = (chainId: number) => floors.get(chainId) ?? 0
  return {
    of,
    raise: (chainId, seq) => void floors.set(chainId, Math.max(of(chainId), seq)),
    async check(client) {
      if (floors.size === 0) return
      const { rows } = await client.query<{ chain: number; seq: number }>(
        'SELECT chain, seq FROM cursors WHERE chain = ANY($1)',
        [[...floors.keys()]],
      )
      for (const { chain, seq } of rows)
        if (seq < of(chain))
          throw new StoreBehindError({ chainId: chain, found: seq, wanted: of(chain), isFilled })
    },
  }
}

/** The open writers, by chain. */
type WriterSet = {
  open(options: Omit<BlockWriterOptions, 'connection' | 'logger'>): Promise<BlockWriter>
  find(chainId: number): BlockWriter | undefined
  /** Closes all of them. */
  close(): Promise<void>
}

function createWriterSet(connection: StoreConnection, logger: Logger): WriterSet {
  const writers = new Map<number, BlockWriter>()
  return {
    async open(options) {
      const { chainId } = options
      const opened = await openBlockWriter({ connection, logger, ...options })
      const writer: BlockWriter = {
        ...opened,
        close() {
          // It references its opener, and with it the whole market of a chain that may be gone.
          if (writers.get(chainId) === writer) writers.delete(chainId)
          return opened.close()
        },
      }
      writers.set(chainId, writer)
      return writer
    },
    find: (chainId) => writers.get(chainId),
    async close() {
      await Promise.all([...writers.values()].map((writer) => writer.close()))
    },
  }
}

export type StoreLimits = {
  /** Connections for reads. */
  readConnectionsMax: number
  /** The server aborts a longer read. */
  readTimeoutMs: number
  /** Time that a read waits for a free connection. */
  connectTimeoutMs: number
}

const defaultStoreLimits: StoreLimits = {
  readConnectionsMax: 10,
  readTimeoutMs: 30_000,
  connectTimeoutMs: 10_000,
}

type StoreOptions = {
  connection: StoreConnection
  logger: Logger
  limits?: Partial<StoreLimits>
  /** Entries that a server must have to be read from. @default no condition */
  floor?: Pick<RequiredSeqs, 'check'> | undefined
  /**
   * Gives a read up after this time without an answer, so that another server can be asked.
   * @default waits
   */
  answerMsMax?: number | undefined
}

export type Store = ReturnType<typeof createStore>

/** Connects, migrates the schema, and returns all reads and writes. */
export async function openStore(options: StoreOptions): Promise<Store> {
  await prepareSchema(options.connection, options.logger)
  return createStore(options)
}

/** For commands that run beside a service: see prepareEmptySchema. */
export async function openStoreAsIs(options: StoreOptions): Promise<Store> {
  await prepareEmptySchema(options.connection, options.logger)
  return createStore(options)
}

/** All reads and writes; the schema must be up to date. */
export function createStore({ connection, logger, limits, floor, answerMsMax }: StoreOptions) {
  const { readConnectionsMax, readTimeoutMs, connectTimeoutMs } = {
    ...defaultStoreLimits,
    ...limits,
  }
  const clientConfig = { ...clientConfigOf(connection, 'chaintape'), check: floor?.check }
  const pool = new Pool({
    ...clientConfig,
    Client: StoreClient,
    max: readConnectionsMax,
    statement_timeout: readTimeoutMs,
    ...(answerMsMax === undefined ? {} : { query_timeout: answerMsMax }),
    connectionTimeoutMillis: connectTimeoutMs,
  })
  logLostConnections(pool, logger)
  const keys = openKeyStore(connection, logger)
  const writers = createWriterSet(connection, logger)

  async function findTopHolders(
    chainId: number,
    tokenId: number,
    limit: number,
  ): Promise<TopHolders> {
    const { isBarTooHigh, ...found } = await topHolders(pool, chainId, tokenId, limit)
    if (isBarTooHigh) writers.find(chainId)?.requestHolderBar(tokenId)
    return found
  }

  return {
    openWriter: writers.open,
    ensureChain: (name: string) => ensureChain(pool, name),
    listChains: () => listChains(pool),
    findChain: (name: string) => findChain(pool, name),
    /** For a chain without a writer. */
    dropChain: (chainId: number, drop: Pick<DropChainOptions, 'signal' | 'limits'> = {}) =>
      dropChain({ connection, chainId, ...drop }),
    adoptChain: (adopt: Omit<AdoptChainOptions, 'connection'>) =>
      adoptChain({ connection, ...adopt }),
    findChainNames: (prefix: string) => findChainNames(pool, prefix),
    readChainIds: () => readChainIds(pool),
    loadCursor: (chainId: number) => loadCursor(pool, chainId),
    openLog: (options: ChainLogOptions): LogReader => openChainLog(pool, options),
    ...createLogReads(pool),
    findTokens: (chainId: number, addresses: readonly string[]) =>
      findTokens(pool, chainId, addresses),
    findCouples: (chainId: number, pools: readonly string[]) =>
      findPairsOfPools(pool, chainId, pools),
    findPairs: (chainId: number, addresses: readonly string[]) =>
      findPairs(pool, chainId, addresses),
    listPairs: (chainId: number, list: PairListQuery) => listPairs(pool, chainId, list),
    loadTokens: (chainId: number, ids: readonly number[]) => loadTokens(pool, chainId, ids),
    loadLeftOut: (chainId: number) => loadIgnoredContracts(pool, chainId),
    loadDoubtfulBlocks: (chainId: number, limit: number) =>
      loadUnverifiedBlocks(pool, chainId, limit),
    loadSupplies: (chainId: number, ids: readonly number[]) => loadSupplies(pool, chainId, ids),
    loadBalances: (chainId: number, keys: readonly BalanceKey[]) =>
      loadBalances(pool, chainId, keys),
    topHolders: findTopHolders,
    loadSwaps: (query: HistoryQuery) => loadSwaps(pool, query),
    loadLiquidity: (query: LiquidityQuery) => loadLiquidity(pool, query),
    loadKlines: (query: KlineQuery) => loadKlines(pool, query),
    loadTrades: (query: TradesQuery) => loadTrades(pool, query),
    loadNews: (query: PairMilestonesQuery) => loadPairMilestones(pool, query),
    loadWalletSwaps: (query: WalletSwapsQuery) => loadWalletSwaps(pool, query),
    loadHistoryStart: (chainId: number) => loadHistoryStart(pool, chainId),
    loadPositions: (query: PositionQuery) => loadPositions(pool, query),
    loadTokenPositions: (query: TokenPositionsQuery) => loadTokenPositions(pool, query),
    loadSmartWallets: (chainId: number) => loadSmartWallets(pool, chainId),
    loadWalletVolumes: (query: WalletVolumesQuery) => loadWalletVolumes(pool, query),
    refreshSmartWallets: (run: SmartWalletsRun) => refreshSmartWallets(pool, run),
    ...createSnapshotReads(pool, logger),
    ...createAuditReads(pool),
    ...createRiskReports(pool),
    ...keys,
    /** Closes the writers first: the queue is stored if the database allows it. */
    async close() {
      await writers.close()
      await Promise.all([pool.end(), keys.close()])
    },
  }
}
