import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { databaseServersOf } from '../lib/databaseServers.ts'
import { AppError } from '../lib/errors.ts'
import { createSecretRedactor } from '../lib/redactSecrets.ts'
import { connectMsMax, type StoreClientConfig, type StoreConnection } from './connection.ts'
import { StoreUnreachableError, sqlState } from './errors.ts'

// Time for the other servers to answer once one was found: another may have been promoted later.
const othersMsMax = 1_000

type Answer = { server: string; host: string; port: number; isWritable: boolean; timeline: string }

/**
 * A PostgreSQL client that connects to the server that accepts writes, if several are named:
 * libpq's target_session_attrs=read-write, which `pg` lacks. A session stays on its server and ends
 * with it.
 */
export class StoreClient extends Client {
  readonly #config: StoreClientConfig
  #isEnded = false

  constructor(config: StoreClientConfig = {}) {
    super(config)
    this.#config = config
  }

  override connect(): Promise<this>
  override connect(callback: (error: Error) => void): void
  override connect(callback?: (error: Error) => void): Promise<this> | undefined {
    if (callback === undefined) return this.#connect()
    // pg passes null if there is no error.
    this.#connect().then(() => callback(null as unknown as Error), callback)
    return undefined
  }

  override end(): Promise<void>
  override end(callback: (error: Error) => void): void
  override end(callback?: (error: Error) => void): Promise<void> | undefined {
    this.#isEnded = true
    if (callback === undefined) return super.end()
    super.end(callback)
    return undefined
  }

  async #check(): Promise<void> {
    try {
      await this.#config.check?.(this)
    } catch (error) {
      super.end().catch(() => undefined)
      throw error
    }
  }

  async #connect(): Promise<this> {
    const { servers = [] } = this.#config
    if (servers.length > 1) {
      const { host, port } = await findWritable(servers, this.#config)
      if (this.#isEnded)
        throw new StoreUnreachableError({ where: host, cause: 'Closed while it connected.' })
      this.host = host
      this.port = port
    }
    // A session that ends during the check would end the process without a listener. The next
    // statement fails then.
    const ignore = () => undefined
    this.on('error', ignore)
    try {
      await super.connect()
      await this.#check()
    } catch (error) {
      throw withoutSecrets(error, this.#config)
    } finally {
      this.off('error', ignore)
    }
    return this
  }
}

/** Servers and poolers quote the refused user, and may quote more. */
function withoutSecrets(error: unknown, { servers, connectionString }: StoreClientConfig): unknown {
  if (!(error instanceof Error) || error instanceof AppError) return error
  const hide = createSecretRedactor({ urls: servers ?? [connectionString ?? ''] })
  const fields = error as unknown as Record<string, unknown>
  for (const name of Object.getOwnPropertyNames(error)) {
    const value = fields[name]
    if (name !== 'code' && typeof value === 'string') fields[name] = hide(value)
  }
  return error
}

/** The same for a single server, the one that accepts writes now; for short uses. */
export async function connectionToPrimary(connection: StoreConnection): Promise<StoreConnection> {
  if (!('databaseUrl' in connection)) return connection
  const servers = databaseServersOf(connection.databaseUrl)
  if (servers.length === 1) return connection
  const { server } = await findWritable(servers, { connectionTimeoutMillis: connectMsMax })
  return { ...connection, databaseUrl: server }
}

/**
 * The last promoted of several servers that accept writes: an old primary that returned has no
 * followers.
 */
async function findWritable(
  servers: readonly string[],
  config: StoreClientConfig,
): Promise<Answer> {
  const answers: Answer[] = []
  const faults = new Map<string, unknown>()
  const found = new AbortController()
  const asked = servers.map(async (server) => {
    try {
      const answer = await ask(server, config)
      answers.push(answer)
      if (answer.isWritable) found.abort()
    } catch (error) {
      faults.set(server, error)
    }
  })
  const all = Promise.all(asked)
  const enough = new AbortController()
  const oneIsThere = new Promise((resolve) => found.signal.addEventListener('abort', resolve))
  const patience = oneIsThere
    .then(() => delay(othersMsMax, undefined, { signal: enough.signal }))
    .catch(() => undefined)
  await Promise.race([all, patience])
  enough.abort()
  const writable = answers
    .filter(({ isWritable }) => isWritable)
    .sort((a, b) => (a.timeline === b.timeline ? 0 : a.timeline < b.timeline ? 1 : -1))
  // Servers of one timeline in the order of their names in the URL.
  const newest = writable.filter(({ timeline }) => timeline === writable[0]!.timeline)
  const chosen = servers.flatMap((server) => newest.find((one) => one.server === server) ?? [])[0]
  if (chosen === undefined) throw faultOf(servers, answers, faults)
  return chosen
}

async function ask(server: string, config: StoreClientConfig): Promise<Answer> {
  const client = new Client({ ...config, connectionString: server, query_timeout: connectMsMax })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query<Pick<Answer, 'isWritable' | 'timeline'>>(
      `SELECT current_setting('transaction_read_only') = 'off' AS "isWritable",
         CASE WHEN pg_is_in_recovery() THEN '' ELSE left(pg_walfile_name(pg_current_wal_lsn()), 8) END AS timeline`,
    )
    return { server, host: client.host, port: client.port, ...rows[0]! }
  } catch (error) {
    throw withoutSecrets(error, { connectionString: server })
  } finally {
    client.end().catch(() => undefined)
  }
}

/** If every server refuses, the first reason is reported; otherwise one may accept writes soon. */
function faultOf(
  servers: readonly string[],
  answers: readonly Answer[],
  faults: ReadonlyMap<string, unknown>,
): unknown {
  const refusals = [...faults.values()].filter((error) => sqlState(error)?.startsWith('28'))
  if (refusals.length === servers.length) return refusals[0]
  const said = servers.map((server) => {
    if (answers.some((answer) => answer.server === server)) return `${nameOf(server)}: only reads`
    const fault = faults.get(server)
    return `${nameOf(server)}: ${fault instanceof Error ? fault.message : 'no answer'}`
  })
  const cause = new Error(`No server takes writes. ${said.join('; ')}`)
  return new StoreUnreachableError({ where: servers.map(nameOf).join(', '), cause })
}

/** A server without user and password. */
function nameOf(server: string): string {
  const url = new URL(server)
  const host = url.searchParams.get('host') ?? url.hostname
  const port = url.searchParams.get('port') ?? url.port
  return port === '' ? host : `${host}:${port}`
}
