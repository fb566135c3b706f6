import { hasNoDatabase, openDatabase } from '../app/openDatabase.ts'
import type { Config } from '../config/schema/schema.ts'
import type { Logger } from '../lib/logger.ts'
import { BackupNothingError } from '../store/backup/errors.ts'
import { type WrittenBackup, writeBackup } from '../store/backup/writeBackup.ts'
import { localChainFiles } from './localChainFiles.ts'

export type BackupOptions = {
  /** Path of the file to write. */
  path: string
  version: string
  nowMs: number
  logger: Logger
  signal: AbortSignal
}

/** Copies all stored data into one file. Works with and without a running service. */
export async function backupData(config: Config, options: BackupOptions): Promise<WrittenBackup> {
  const { logger, ...rest } = options
  const { data_dir: dataDir } = config
  if (hasNoDatabase(config)) throw new BackupNothingError({ where: dataDir })
  const database = await openDatabase(config, { logger })
  try {
    return await writeBackup({
      ...rest,
      connection: database.connection,
      filesOf: ({ chains }) => localChainFiles(dataDir, chains),
    })
  } finally {
    await database.stop()
  }
}
