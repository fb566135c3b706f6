import { mkdir, realpath } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from 'pg'
import { AppError } from '../../lib/errors.ts'
import type { Logger } from '../../lib/logger.ts'
import { logWhileWaiting } from '../../lib/logWhileWaiting.ts'
import { tryLock } from '../advisoryLock.ts'
import { DataDirectoryError, PostgresStartError } from '../errors.ts'
import { openBinaries } from './binaries.ts'
import { connectServer } from './connectServer.ts'
import { openDataDirectory, postgresDatabase, postgresUser } from './dataDirectory.ts'
import {
  findPostmaster,
  openSocketDirectory,
  type PostmasterPlace,
  socketPort,
} from './postmaster.ts'

type PrivatePostgresOptions = {
  dataDir: string
  logger: Logger
  /** The server died and cannot be restarted. */
  onFatal?: (error: AppError) => void
  /**
   * PostgreSQL's shared_buffers in MB. The server fills this memory over time and never returns it.
   * @default 256
   */
  buffersMb?: number
  /** Recovery after a crash replays at most max_wal_size. @default 120_000 */
  startTimeoutMs?: number
  /** After this time a stop no longer waits for the last checkpoint. @default 30_000 */
  stopTimeoutMs?: number
  /**
   * Time to wait for the session of a killed owner to end, at the start and at the stop. Short
   * commands beside a service wait 0: if the owner is killed in that moment, the next process
   * adopts its server. @default 250
   */
  ownerWaitMs?: number
}

export type PrivatePostgres = {
  connection: { host: string; port: number; user: string; database: string }
  /** False if another live process started or adopted the same server: that process stops it. */
  isOwner(): boolean
  stop(): Promise<void>
}

// The server notices a killed owner within milliseconds. A process that was too early checks again
// when it stops.
const defaultOwnerWaitMs = 250
const pollMs = 25
const restartDelayMsMax = 5_000

/**
 * A PostgreSQL server of our own in `<dataDir>/postgres`, reachable only through a private unix
 * socket. Starts it, or adopts one that a killed process left running, and restarts it if it dies.
 */
export async function startPrivatePostgres(
  options: PrivatePostgresOptions,
): Promise<PrivatePostgres> {
  const { logger, buffersMb = 256, startTimeoutMs = 120_000, stopTimeoutMs = 30_000 } = options
  const { ownerWaitMs = defaultOwnerWaitMs } = options
  const place = { ...(await openPlace(resolve(options.dataDir))), buffersMb }
  const stopping = new AbortController()
  let isOwner = false
  let monitor: Client
  let recovery: Promise<void> = Promise.resolve()

  async function reach(): Promise<void> {
    const client = await connectServer(place, {
      timeoutMs: startTimeoutMs,
      signal: stopping.signal,
    })
    client.once('end', onLost)
    monitor = client
    isOwner = await tryLock(client, 'server', 0, ownerWaitMs)
  }

  function onLost(): void {
    if (stopping.signal.aborted) return
    logger.warn({ msg: 'Lost the private PostgreSQL', clusterDir: place.clusterDir })
    recovery = recover().catch((error) => {
      if (!stopping.signal.aborted) options.onFatal?.(asAppError(error, place))
    })
  }

  async function recover(): Promise<void> {
    for (let delayMs = pollMs; ; delayMs = Math.min(2 * delayMs, restartDelayMsMax)) {
      try {
        await reach()
        logger.info({ msg: 'Reached the private PostgreSQL again' })
        return
      } catch (error) {
        if (!asAppError(error, place).retryable) throw error
        logger.warn({ msg: 'Failed to restart the private PostgreSQL', err: error })
        await delay(delayMs, undefined, { signal: stopping.signal })
      }
    }
  }

  async function stop(): Promise<void> {
    if (stopping.signal.aborted) return
    stopping.abort()
    await recovery
    // The process that started the server may have been killed meanwhile. Then this process must
    // stop the server, because no other does.
    isOwner ||= await tryLock(monitor, 'server', 0, ownerWaitMs).catch(() => false)
    if (isOwner) await stopPostmaster(place, stopTimeoutMs, logger)
    await monitor.end().catch(() => undefined)
  }

  const waitsFor = `the private PostgreSQL (its log: ${place.logFile})`
  await logWhileWaiting(reach(), { logger, waitsFor })
  logger.info({ msg: 'Reached the private PostgreSQL', socketDir: place.socketDir, isOwner })
  return {
    connection: {
      host: place.socketDir,
      port: socketPort,
      user: postgresUser,
      database: postgresDatabase,
    },
    isOwner: () => isOwner,
    stop,
  }
}

async function openPlace(dataDir: string): Promise<Omit<PostmasterPlace, 'buffersMb'>> {
  const realDir = await mkdir(dataDir, { recursive: true, mode: 0o700 })
    .then(() => realpath(dataDir))
    .catch((cause) => {
      throw new DataDirectoryError({ path: dataDir, detail: (cause as Error).message, cause })
    })
  const binaries = await openBinaries({ fallbackDir: join(realDir, 'postgres-lib') })
  const clusterDir = await openDataDirectory(realDir, binaries)
  const socketDir = await openSocketDirectory(realDir)
  return { binaries, clusterDir, socketDir, logFile: join(realDir, 'postgres.log') }
}

/**
 * SIGINT is the fast shutdown: sessions end, a checkpoint is written. SIGQUIT leaves that to the
 * next start.
 */
async function stopPostmaster(
  place: PostmasterPlace,
  timeoutMs: number,
  logger: Logger,
): Promise<void> {
  const pid = await findPostmaster(place.clusterDir)
  if (pid === null) return
  sendSignal(pid, 'SIGINT')
  const deadlineMs = Date.now() + timeoutMs
  let hasQuit = false
  while ((await findPostmaster(place.clusterDir)) === pid) {
    if (Date.now() > deadlineMs && !hasQuit) {
      hasQuit = true
      logger.warn({ msg: 'Stopped the private PostgreSQL without a checkpoint', timeoutMs })
      sendSignal(pid, 'SIGQUIT')
    }
    await delay(pollMs)
  }
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    // It had already ended.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

function asAppError(error: unknown, { logFile }: PostmasterPlace): AppError {
  if (error instanceof AppError) return error
  const detail = error instanceof Error ? error.message : String(error)
  return new PostgresStartError({ detail, logFile, cause: error })
}
