import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Config } from '../../config/schema/schema.ts'
import type { AppError } from '../../lib/errors.ts'
import type { Logger } from '../../lib/logger.ts'
import type { StoreConnection } from '../../store/connection.ts'
import type { StoreLimits } from '../../store/openStore.ts'
import { startPrivatePostgres } from '../../store/privatePostgres.ts'
import { NothingStoredError } from '../errors.ts'

// The market of the local chains is small, and a machine to try things on may be, too.
const localBuffersMb = 64

export type Database = {
  connection: StoreConnection
  /** No other live process has the data directory: its private PostgreSQL is ours. */
  isDirectoryOurs(): boolean
  stop(): Promise<void>
}

export type OpenDatabaseOptions = {
  logger: Logger
  onFatal?: (error: AppError) => void
  /** For a moment, mostly beside a service that runs. @default false */
  isVisit?: boolean
}

/** The configured PostgreSQL, or one of our own in the data directory. */
export async function openDatabase(
  config: Config,
  { logger, onFatal, isVisit = false }: OpenDatabaseOptions,
): Promise<Database> {
  const { database_url: databaseUrl, data_dir: dataDir } = config
  if (databaseUrl !== undefined)
    return { connection: { databaseUrl }, isDirectoryOurs: () => false, stop: async () => {} }
  const { connection, isOwner, stop } = await startPrivatePostgres({
    dataDir,
    logger,
    ...(isVisit ? { ownerWaitMs: 0 } : {}),
    ...(onFatal === undefined ? {} : { onFatal }),
    ...(Object.keys(config.chains).length === 0 ? { buffersMb: localBuffersMb } : {}),
  })
  return { connection, isDirectoryOurs: isOwner, stop }
}

/** Whether a private PostgreSQL would be a new and empty one. */
export function isUnstored({ database_url: databaseUrl, data_dir: dataDir }: Config): boolean {
  return databaseUrl === undefined && !existsSync(join(dataDir, 'postgres'))
}

/** A command that looks at what is stored makes no database where there is none: the folder is the wrong one. */
export function requireStored(config: Config): void {
  if (isUnstored(config)) throw new NothingStoredError({ dataDir: resolve(config.data_dir) })
}

export function storeLimitsOf({ limits }: Config): Partial<StoreLimits> {
  return { readConnectionsMax: limits.read_connections_max }
}
