import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { closeSync, existsSync, openSync, readFileSync, renameSync, statSync } from 'node:fs'
import { lstat, mkdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DataDirectoryError } from '../errors.ts'
import { commandOf, type PostgresBinaries, programEnvironment } from './binaries.ts'
import { isAlive } from './dataDirectory.ts'

/** Only part of the socket file's name: nothing listens on the network. */
export const socketPort = 5432

// sun_path holds 104 bytes on macOS and 108 on Linux, with the closing zero.
const socketPathBytesMax = 100

/**
 * A private directory for the socket with a path short enough for the operating system. A data
 * directory always gets the same one.
 */
export async function openSocketDirectory(
  dataDir: string,
  temporaryDir: string = tmpdir(),
): Promise<string> {
  const path = socketDirectoryOf(dataDir, temporaryDir)
  await mkdir(path, { recursive: true, mode: 0o700 })
  const stat = await lstat(path)
  // Another user could have created a directory in a shared place and pose as the server.
  if (!stat.isDirectory() || stat.uid !== process.getuid?.() || (stat.mode & 0o077) !== 0)
    throw new DataDirectoryError({ path, detail: 'It must be a directory of ours with mode 0700.' })
  return path
}

export function socketDirectoryOf(dataDir: string, temporaryDir: string): string {
  const inside = join(dataDir, 'socket')
  if (Buffer.byteLength(join(inside, `.s.PGSQL.${socketPort}.lock`)) <= socketPathBytesMax)
    return inside
  const key = createHash('sha256').update(dataDir).digest('hex').slice(0, 16)
  return join(temporaryDir, `chaintape-${key}`)
}

export type PostmasterPlace = {
  binaries: PostgresBinaries
  clusterDir: string
  socketDir: string
  logFile: string
  /** Size of its own page cache, beside the system's file cache. */
  buffersMb: number
}

/** A server started by this process. */
export type StartedPostmaster = {
  hasExited(): boolean
  /** Its output since the start. */
  output(): string
}

// The server logs little; more than this is a loop of errors whose beginning is known.
const logBytesMax = 10_000_000

const settings: Readonly<Record<string, string>> = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  max_connections: '60',
  // Fewer, larger checkpoints: ingestion writes the same hot pages repeatedly.
  max_wal_size: '2GB',
  checkpoint_timeout: '15min',
  wal_compression: 'on',
  // A private server has no replicas.
  wal_level: 'minimal',
  max_wal_senders: '0',
  // A query may touch every daily partition of a table.
  max_locks_per_transaction: '256',
  random_page_cost: '1.1',
  jit: 'off',
  timezone: 'UTC',
  log_checkpoints: 'off',
  log_min_messages: 'warning',
  cluster_name: 'chaintape',
}

/** Detached, so that Ctrl-C in the terminal reaches the server only through this program. */
export function startPostmaster(place: PostmasterPlace): StartedPostmaster {
  rotateLog(place.logFile)
  const offset = existsSync(place.logFile) ? statSync(place.logFile).size : 0
  const flags = Object.entries({
    ...settings,
    unix_socket_directories: place.socketDir,
    shared_buffers: `${place.buffersMb}MB`,
  })
  const { command, args } = commandOf(place.binaries.postgres, [
    '-D',
    place.clusterDir,
    '-p',
    String(socketPort),
    ...flags.flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ])
  const log = openSync(place.logFile, 'a', 0o600)
  const child = spawn(command, args, {
    cwd: place.clusterDir,
    env: programEnvironment(place.binaries),
    stdio: ['ignore', log, log],
    detached: true,
  })
  closeSync(log)
  child.unref()
  let spawnFault = ''
  child.once('error', (error) => {
    spawnFault = `${command}: ${error.message}`
  })
  return {
    hasExited: () => spawnFault !== '' || child.exitCode !== null || child.signalCode !== null,
    output: () => spawnFault || readFileSync(place.logFile).subarray(offset).toString('utf8'),
  }
}

function rotateLog(path: string): void {
  if (existsSync(path) && statSync(path).size > logBytesMax) renameSync(path, `${path}.1`)
}

/**
 * Process id of this cluster's live server; null if none exists. Removes the file of a pid that
 * another program has now.
 */
export async function findPostmaster(clusterDir: string): Promise<number | null> {
  const pidFile = join(clusterDir, 'postmaster.pid')
  const text = await readFile(pidFile, 'utf8').catch(() => '')
  const pid = Number(text.split('\n')[0])
  if (!isAlive(pid)) return null
  if (await isPostmasterOf(pid, clusterDir)) return pid
  // PostgreSQL refuses to start while any process has this pid. Only the checked text is removed: a
  // server that started since has written its own.
  const current = await readFile(pidFile, 'utf8').catch(() => '')
  if (current === text && !(await isPostmasterOf(pid, clusterDir)))
    await rm(pidFile, { force: true })
  return null
}

async function isPostmasterOf(pid: number, clusterDir: string): Promise<boolean> {
  const commandLine = await commandLineOf(pid)
  return commandLine.includes('postgres') && commandLine.includes(clusterDir)
}

/** Returns the command line of a process; empty if it has ended or is a zombie. */
async function commandLineOf(pid: number): Promise<string> {
  if (process.platform === 'linux')
    return await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  return await new Promise((resolve) => {
    execFile('/bin/ps', ['-ww', '-o', 'command=', '-p', String(pid)], (_error, stdout) =>
      resolve(stdout ?? ''),
    )
  })
}
