import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Config } from '../config/schema/schema.ts'
import type { AppError } from '../lib/errors.ts'
import type { Logger } from '../lib/logger.ts'
import type { StoreConnection } from '../store/connection.ts'
import type { StoreLimits } from '../store/openStore.ts'
import { startPrivatePostgres } from '../store/postgres/privatePostgres.ts'
import { NothingStoredError } from './errors.ts'

// Local chains have small markets, and a demo may run on a small machine.
const localBuffersMb = 64

export type Database = {
  connection: StoreConnection
  /** Returns true if this process owns the data directory, including its private PostgreSQL. */
  isDirectoryOurs(): boolean
  stop(): Promise<void>
}

export type OpenDatabaseOptions = {
  logger: Logger
  onFatal?: (error: AppError) => void
  /** Opens for a quick read, usually next to a running service. @default false */
  isVisit?: boolean
}

/** Connects to the configured PostgreSQL, or starts a private one in the data directory. */
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

/** Returns true if opening the database would create a new private PostgreSQL. */
export function hasNoDatabase({ database_url: databaseUrl, data_dir: dataDir }: Config): boolean {
  return databaseUrl === undefined && !existsSync(join(dataDir, 'postgres'))
}

/**
 * Throws if nothing is stored, so that a read command run in the wrong folder does not create a
 * database.
 */
export function requireDatabase(config: Config): void {
  if (hasNoDatabase(config)) throw new NothingStoredError({ dataDir: resolve(config.data_dir) })
}

export function storeLimitsOf({ limits }: Config): Partial<StoreLimits> {
  return { readConnectionsMax: limits.read_connections_max }
}
