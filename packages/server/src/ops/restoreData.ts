import { mkdir } from 'node:fs/promises'
import { openDatabase } from '../app/openDatabase.ts'
import type { Config } from '../config/schema/schema.ts'
import type { Logger } from '../lib/logger.ts'
import type { BackupHeader } from '../store/backup/format.ts'
import { type BackupReader, openBackup } from '../store/backup/readBackup.ts'
import { restoreBackup } from '../store/backup/restoreBackup.ts'
import { openLocalChainRestore } from './localChainFiles.ts'

export type RestoreOptions = {
  /** Path of the backup. */
  path: string
  logger: Logger
  signal: AbortSignal
}

export type RestoredBackup = { header: BackupHeader; rowCount: number }

/** Restores a backup into an empty data directory or database, completely or not at all. */
export async function restoreData(
  config: Config,
  options: RestoreOptions,
): Promise<RestoredBackup> {
  // Validate the backup before creating a directory or a database.
  const backup = await openBackup(options.path)
  try {
    return { header: backup.header, rowCount: await restoreOpened(config, options, backup) }
  } finally {
    backup.close()
  }
}

async function restoreOpened(
  config: Config,
  { path, logger, signal }: RestoreOptions,
  backup: BackupReader,
): Promise<number> {
  const { data_dir: dataDir } = config
  const files = await openLocalChainRestore(dataDir, path)
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const database = await openDatabase(config, { logger })
  try {
    const rowCount = await restoreBackup({
      connection: database.connection,
      backup,
      path,
      logger,
      signal,
      takeFile: files.take,
      placeFiles: files.place,
    })
    await files.finish()
    return rowCount
  } catch (error) {
    await files.undo()
    throw error
  } finally {
    await database.stop()
  }
}
