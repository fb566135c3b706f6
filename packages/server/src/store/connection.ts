import {
  type Client,
  type ClientBase,
  type ClientConfig,
  type Pool,
  type PoolClient,
  types,
} from 'pg'
import { databaseServersOf } from '../lib/databaseServers.ts'
import type { Logger } from '../lib/logger.ts'
import { StoreTooOldError } from './errors.ts'

/** A server named by its parts (a private one), or by a URL, which may name several. */
export type StoreConnection =
  | { host: string; port: number; user: string; database: string }
  | {
      databaseUrl: string
      /** Marks its sessions as an indexer's: the next leader may end them. */
      isIndexer?: true
    }

export type StoreClientConfig = ClientConfig & {
  /** Addresses of several servers, of which the one that accepts writes is used. */
  servers?: readonly string[]
  /** Checks a found server; if it rejects, the server is not used. */
  check?: ((client: ClientBase) => Promise<void>) | undefined
}

/** Prefix of the names of an indexer's sessions. */
export const indexerPrefix = 'chaintape indexer '

const int8Oid = 20

/** Timeout of one attempt: a hanging server accepts connections and never answers. */
export const connectMsMax = 10_000

/** Sequences, block numbers and times are below 2^53. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  if (oid === int8Oid) return Number
  return types.getTypeParser(oid, format)
}

/** Configuration of a `StoreClient`, alone or in a pool. */
export function clientConfigOf(
  connection: StoreConnection,
  applicationName: string,
): StoreClientConfig {
  const shared = {
    application_name: applicationName,
    keepAlive: true,
    connectionTimeoutMillis: connectMsMax,
    types: { getTypeParser } as NonNullable<ClientConfig['types']>,
  }
  if ('databaseUrl' in connection) {
    const { databaseUrl, isIndexer } = connection
    const servers = databaseServersOf(databaseUrl)
    const name = isIndexer === true ? `${indexerPrefix}${applicationName}` : applicationName
    return { connectionString: servers[0]!, servers, ...shared, application_name: name }
  }
  return { ...connection, ssl: false, ...shared }
}

/** For messages; never includes a password. */
export function describeConnection(connection: StoreConnection): string {
  if (!('databaseUrl' in connection)) return connection.host
  return connection.databaseUrl.replace(/\?.*$/, '').replace(/^(\w+:\/\/).*@/, '$1')
}

// Older versions may work but are not tested.
const serverMajorMin = 15

/** Checks that the schema was tested on this server's version. */
export async function checkServer(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ version: number }>(
    `SELECT current_setting('server_version_num')::int / 10000 AS version`,
  )
  const found = rows[0]!.version
  if (found < serverMajorMin) throw new StoreTooOldError({ found, wanted: serverMajorMin })
}

/** Runs work in one transaction of one pooled connection. */
export async function inTransaction<result>(
  pool: Pool,
  work: (client: PoolClient) => Promise<result>,
): Promise<result> {
  const client = await pool.connect()
  // A connection lost between two statements fails the next one. Without a listener it would end
  // the process.
  const ignore = () => undefined
  client.on('error', ignore)
  try {
    await client.query('BEGIN')
    const result = await work(client)
    await client.query('COMMIT')
    client.off('error', ignore)
    client.release()
    return result
  } catch (error) {
    // The connection's state is unknown, so it must not be reused.
    client.release(true)
    throw error
  }
}

/** Quotes a word as an SQL name. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** Also ends a COPY that nobody reads any more, where a regular end would wait for ever. */
export async function closeDuringCopy(client: Client): Promise<void> {
  const { connection } = client as unknown as { connection: { stream: { destroy(): void } } }
  const ended = client.end().catch(() => undefined)
  connection.stream.destroy()
  await ended
}

/**
 * Logs broken idle connections; the next read replaces them. `pg` attaches the whole client with
 * its options to the error, which must not be logged.
 */
export function logLostConnections(pool: Pool, logger: Logger): void {
  pool.on('error', (error: Error & { client?: unknown }) => {
    delete error.client
    // A server that stops after us cuts connections that are already closing.
    if (!pool.ending) logger.warn({ msg: 'Lost an idle store connection', err: error })
  })
}
