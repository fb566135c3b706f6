import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { AppError } from '../../lib/errors.ts'
import { connectMsMax } from '../connection.ts'
import { DataDirectoryError, PostgresStartError, sqlState } from '../errors.ts'
import { postgresDatabase, postgresUser, serverFault } from './dataDirectory.ts'
import {
  findPostmaster,
  type PostmasterPlace,
  type StartedPostmaster,
  socketPort,
  startPostmaster,
} from './postmaster.ts'

const pollMs = 25

// Temporary: another process starts the same cluster, or backends of a killed server are still
// ending.
const passingWords = /pre-existing shared memory block|lock file ".*" already exists/

/** Connects to the server of this cluster; starts it if none runs. */
export async function connectServer(
  place: PostmasterPlace,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Promise<Client> {
  const deadlineMs = Date.now() + timeoutMs
  let started: StartedPostmaster | null = null
  for (;;) {
    signal.throwIfAborted()
    const client = await tryConnect(place)
    if (client !== null) return client
    if (started?.hasExited()) {
      const output = started.output()
      if (!passingWords.test(output)) throw serverFault(output, place.clusterDir, place.logFile)
      started = null
    }
    if (started === null && (await findPostmaster(place.clusterDir)) === null)
      started = startPostmaster(place)
    if (Date.now() > deadlineMs) {
      const detail = `Not ready after ${timeoutMs} ms.`
      throw new PostgresStartError({ detail, logFile: place.logFile })
    }
    await delay(pollMs, undefined, { signal })
  }
}

async function tryConnect({ socketDir, clusterDir }: PostmasterPlace): Promise<Client | null> {
  const client = new Client({
    host: socketDir,
    port: socketPort,
    user: postgresUser,
    database: postgresDatabase,
    application_name: 'chaintape launcher',
    ssl: false,
    // A hanging attempt is repeated until the start times out.
    connectionTimeoutMillis: connectMsMax,
    query_timeout: connectMsMax,
  })
  // Listeners of 'end' handle a lost connection; without this listener it would end the process.
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query<{ path: string }>(
      `SELECT current_setting('data_directory') AS path`,
    )
    if (rows[0]?.path === clusterDir) return client
    await client.end()
    throw new DataDirectoryError({
      path: socketDir,
      detail: `A server of another cluster answers there: ${rows[0]?.path}`,
    })
  } catch (error) {
    if (error instanceof AppError) throw error
    await client.end().catch(() => undefined)
    const state = sqlState(error)
    // No socket yet, or "the database system is starting up" and similar.
    if (state === undefined || state.startsWith('57') || state.startsWith('08')) return null
    throw serverFault(`FATAL: ${(error as Error).message}`, clusterDir, 'the server said so')
  }
}
