import { access, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { AppError } from '../../lib/errors.ts'
import {
  CorruptStoreError,
  DataDirectoryError,
  DiskFullError,
  PostgresRootError,
  PostgresStartError,
  PostgresVersionError,
} from '../errors.ts'
import { type PostgresBinaries, runProgram } from './binaries.ts'

export const postgresUser = 'chaintape'
export const postgresDatabase = 'postgres'

/** Ensures that `<dataDir>/postgres` is a cluster of our version and returns its place. */
export async function openDataDirectory(
  dataDir: string,
  binaries: PostgresBinaries,
): Promise<string> {
  const path = join(dataDir, 'postgres')
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 })
    await removeHalfMade(dataDir)
  } catch (cause) {
    throw new DataDirectoryError({ path: dataDir, detail: (cause as Error).message, cause })
  }
  if (await isMissing(path)) await createCluster(dataDir, path, binaries)
  await checkVersion(dataDir, path, binaries)
  return path
}

const halfMadePrefix = 'postgres.new-'

async function removeHalfMade(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir)) {
    if (!name.startsWith(halfMadePrefix)) continue
    const pid = Number(name.slice(halfMadePrefix.length))
    if (!isAlive(pid)) await rm(join(dataDir, name), { recursive: true, force: true })
  }
}

async function isMissing(path: string): Promise<boolean> {
  const names = await readdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw new DataDirectoryError({ path, detail: error.message, cause: error })
  })
  return names.length === 0
}

// Created beside its place and renamed once complete: a killed start leaves nothing incomplete.
async function createCluster(
  dataDir: string,
  path: string,
  binaries: PostgresBinaries,
): Promise<void> {
  const temporary = join(dataDir, `${halfMadePrefix}${process.pid}`)
  const args = ['-D', temporary, '-U', postgresUser, '-A', 'trust', '-E', 'UTF8', '--no-locale']
  const { exitCode, output } = await runProgram(binaries, binaries.initdb, args)
  if (exitCode !== 0) {
    await rm(temporary, { recursive: true, force: true })
    throw serverFault(output, dataDir, '(none yet)')
  }
  try {
    await rename(temporary, path)
  } catch (cause) {
    await rm(temporary, { recursive: true, force: true })
    // Another process started at the same moment and created the same cluster.
    const isThere = await access(join(path, 'PG_VERSION')).then(
      () => true,
      () => false,
    )
    if (!isThere) throw new DataDirectoryError({ path, detail: (cause as Error).message, cause })
  }
}

async function checkVersion(
  dataDir: string,
  path: string,
  binaries: PostgresBinaries,
): Promise<void> {
  const text = await readFile(join(path, 'PG_VERSION'), 'utf8').catch((cause) => {
    const detail = `PG_VERSION cannot be read: ${(cause as Error).message}`
    throw new CorruptStoreError({ where: path, detail, cause })
  })
  const found = text.trim()
  if (!/^\d{1,3}$/.test(found)) {
    const detail = `PG_VERSION is not a version: ${JSON.stringify(found.slice(0, 40))}`
    throw new CorruptStoreError({ where: path, detail })
  }
  if (found !== binaries.major)
    throw new PostgresVersionError({ dataDir, found, wanted: binaries.major })
}

export function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

const corruptWords =
  /could not locate a valid checkpoint|invalid checkpoint|not a valid data directory|incorrect checksum in control file|could not (open|read|find|load) .*(pg_control|pg_filenode\.map|PG_VERSION|database system)|invalid (data in file|primary checkpoint|page in block)|contains invalid data|could not find the database system|database files are incompatible|is missing or damaged/i

/** Finds in the server's last output why it does not run. */
export function serverFault(output: string, where: string, logFile: string): AppError {
  const detail = lastWords(output)
  if (/No space left on device|Disk quota exceeded/i.test(output))
    return new DiskFullError({ where })
  if (/unshare(?: failed)?:|must not be run as the root|"root" execution/.test(output))
    return new PostgresRootError({ detail })
  if (corruptWords.test(output)) return new CorruptStoreError({ where, detail })
  return new PostgresStartError({ detail, logFile })
}

function lastWords(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '')
  const telling = lines.filter((line) => /FATAL|PANIC|error/i.test(line))
  return (telling.at(-1) ?? lines.at(-1) ?? 'no output').trim()
}
