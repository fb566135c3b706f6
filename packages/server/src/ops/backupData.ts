import { createReadStream, createWriteStream } from 'node:fs'
import { access, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { localEvmKind, localSolanaKind } from '../app/demo/devnetSetup.ts'
import { loadSavedDevnet } from '../app/demo/savedDevnet.ts'
import { hasNoDatabase, openDatabase } from '../app/openDatabase.ts'
import type { Config } from '../config/schema/schema.ts'
import { AppError } from '../lib/errors.ts'
import type { Logger } from '../lib/logger.ts'
import {
  BackupDamagedError,
  BackupNothingError,
  RestoreNotEmptyError,
} from '../store/backup/errors.ts'
import type { BackupHeader } from '../store/backup/format.ts'
import { type BackupReader, openBackup } from '../store/backup/readBackup.ts'
import { restoreBackup } from '../store/backup/restoreBackup.ts'
import { type DataFile, type WrittenBackup, writeBackup } from '../store/backup/writeBackup.ts'
import { DataDirectoryError } from '../store/errors.ts'

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

// Besides the database, a data directory holds the names under which local chains are stored; the
// next start deletes those chains.
const folder = localEvmKind.folder
const fileOf = (place: string) => `${place}/served.json`
const names = [localEvmKind, localSolanaKind].map((local) => fileOf(local.folder))

/** Returns the files of local chains whose market is among `chains`. */
export async function localChainFiles(
  dataDir: string,
  chains: readonly { name: string }[],
): Promise<DataFile[]> {
  const files: DataFile[] = []
  for (const { folder: place } of [localEvmKind, localSolanaKind]) {
    const saved = await loadSavedDevnet(dataDir, place)
    const own = new Set(saved === null ? [] : [saved.storeName, ...saved.retired])
    if (!chains.some(({ name }) => own.has(name))) continue
    const name = fileOf(place)
    files.push({ name, read: () => createReadStream(join(dataDir, name)) })
  }
  return files
}

/** Restores the files of a backup into a staging directory, and publishes all of them at once. */
type FileRestore = {
  take(name: string, pieces: AsyncIterable<Buffer>): Promise<void>
  place(): Promise<void>
  /** Call after the database was restored. */
  finish(): Promise<void>
  /**
   * Removes the staging directory. Files already published stay marked as unfinished, since it may
   * be unknown whether the database was restored.
   */
  undo(): Promise<void>
}

// While this file exists, the files next to it belong to an unfinished restore.
const marker = 'restoring'

/** Throws if the directory already has a local chain. */
export async function openLocalChainRestore(dataDir: string, path: string): Promise<FileRestore> {
  const place = join(dataDir, folder)
  const staging = join(dataDir, `${folder}.restoring`)
  for (const name of names)
    if ((await isThere(join(dataDir, name))) && !(await isThere(join(place, marker))))
      throw new RestoreNotEmptyError({ where: dataDir, found: name })

  const clear = () => rm(staging, { recursive: true, force: true })

  async function take(name: string, pieces: AsyncIterable<Buffer>): Promise<void> {
    if (!names.includes(name))
      throw new BackupDamagedError({ path, detail: `it has a file ${JSON.stringify(name)}` })
    const target = join(staging, name.slice(folder.length + 1))
    await inPlace(async () => {
      await mkdir(dirname(target), { recursive: true, mode: 0o700 })
      await pipeline(pieces, createWriteStream(target, { flags: 'wx', mode: 0o600, flush: true }))
    })
  }

  /** Reports a failing disk as such, and not as a fault of the database or the backup. */
  async function inPlace(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (cause) {
      if (cause instanceof AppError) throw cause
      throw new DataDirectoryError({ path: dataDir, detail: (cause as Error).message, cause })
    }
  }

  await clear()
  return {
    take,
    place: () =>
      inPlace(async () => {
        if (!(await isThere(staging))) return
        await writeFile(join(staging, marker), '')
        await rm(place, { recursive: true, force: true })
        await rename(staging, place)
      }),
    finish: () => rm(join(place, marker), { force: true }),
    undo: clear,
  }
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
