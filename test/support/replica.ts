// PostgreSQL with streaming replicas: separate servers that can be killed, paused and promoted.
import { type ChildProcess, spawn } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client } from 'pg'
import {
  commandOf,
  openBinaries,
  type PostgresBinaries,
  programEnvironment,
} from '../../packages/server/src/store/postgres/binaries.ts'
import {
  openDataDirectory,
  postgresDatabase,
  postgresUser,
} from '../../packages/server/src/store/postgres/dataDirectory.ts'
import { socketPort } from '../../packages/server/src/store/postgres/postmaster.ts'
import { type TestConnection, withClient } from './postgres.ts'
import { until } from './until.ts'

export type ReplicaServer = {
  connection: TestConnection
  /** Kills the server at once, like a power failure. */
  kill(): Promise<void>
  /** Starts the server with the data it had stored. */
  start(): Promise<void>
  /** Promotes a replica: it accepts writes from now on. */
  promote(): Promise<void>
  /** Pauses a replica's replay: it receives changes but does not show them. */
  pause(): Promise<void>
  resume(): Promise<void>
}

export type ReplicatedPostgres = {
  readonly primary: ReplicaServer
  readonly replica: ReplicaServer
  /** URL of both servers, for `--database-url`. */
  url: string
  /** Adds a replica of a writable server. */
  addReplica(of: ReplicaServer): Promise<ReplicaServer>
  /**
   * Promotes the replica after the primary is lost, and adds a new replica in the primary's place.
   */
  failOver(): Promise<void>
  stop(): Promise<void>
}

const settings: Readonly<Record<string, string>> = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  max_connections: '100',
  max_locks_per_transaction: '256',
  shared_buffers: '64MB',
  wal_level: 'replica',
  hot_standby: 'on',
  // Keeps enough WAL for a replica that is created or returns later.
  wal_keep_size: '512MB',
  // Tests kill processes, not machines, so syncing to disk proves nothing.
  fsync: 'off',
  jit: 'off',
  timezone: 'UTC',
  log_min_messages: 'warning',
  wal_receiver_timeout: '5s',
  wal_retrieve_retry_interval: '200ms',
}

/** One URL with all servers, as in `database_url`. */
export const urlOfServers = (servers: readonly TestConnection[]) => {
  const { user, database } = servers[0]!
  const hosts = servers.map(({ host }) => encodeURIComponent(host)).join(',')
  return `postgres://${user}@localhost/${database}?host=${hosts}`
}

export async function startReplicatedPostgres(): Promise<ReplicatedPostgres> {
  const root = await mkdtemp(join(tmpdir(), 'chaintape-pg-'))
  const binaries = await openBinaries({ fallbackDir: join(root, 'lib') })
  const servers: Server[] = []
  const add = (server: Server) => {
    servers.push(server)
    return server
  }
  const addReplica = async (of: ReplicaServer) => {
    const server = await createServer(binaries, join(root, `${servers.length}`))
    await copyServer(of as Server, server)
    await server.start()
    return add(server)
  }
  let primary = add(await createServer(binaries, join(root, '0')))
  await openDataDirectory(join(root, '0'), binaries)
  await primary.start()
  let replica = await addReplica(primary)
  return {
    get primary() {
      return primary
    },
    get replica() {
      return replica
    },
    url: urlOfServers([primary.connection, replica.connection]),
    addReplica,
    async failOver() {
      await primary.kill()
      await replica.promote()
      ;[primary, replica] = [replica, primary]
      await rm(replica.clusterDir, { recursive: true })
      await copyServer(primary, replica)
      await replica.start()
    },
    async stop() {
      await Promise.all(servers.map((server) => server.kill()))
      await rm(root, { recursive: true, force: true })
    },
  }
}

type Server = ReplicaServer & { clusterDir: string }

async function createServer(binaries: PostgresBinaries, dir: string): Promise<Server> {
  await mkdir(join(dir, 's'), { recursive: true, mode: 0o700 })
  const clusterDir = join(dir, 'postgres')
  const connection: TestConnection = {
    host: join(dir, 's'),
    port: socketPort,
    user: postgresUser,
    database: postgresDatabase,
  }
  let child: ChildProcess | null = null
  const query = (text: string) => withClient(connection, (client) => client.query(text))
  return {
    connection,
    clusterDir,
    async start() {
      const flags = Object.entries({ ...settings, unix_socket_directories: connection.host })
      const { command, args } = commandOf(binaries.postgres, [
        ...['-D', clusterDir, '-p', `${socketPort}`],
        ...flags.flatMap(([name, value]) => ['-c', `${name}=${value}`]),
      ])
      child = spawn(command, args, { env: programEnvironment(binaries), stdio: 'ignore' })
      await until('PostgreSQL answers', () =>
        query('SELECT 1').then(
          () => true,
          () => false,
        ),
      )
    },
    async kill() {
      const running = child
      child = null
      if (running === null || running.exitCode !== null) return
      const ended = new Promise((done) => running.once('exit', done))
      running.kill('SIGKILL')
      await ended
    },
    async promote() {
      // Does not wait for the promotion: the replay may terminate the waiting session.
      await query('SELECT pg_promote(false)')
      await until('it takes writes', () =>
        query('SELECT pg_is_in_recovery() AS "isReplica"').then(
          ({ rows }) => !rows[0].isReplica,
          () => false,
        ),
      )
    },
    async pause() {
      await query('SELECT pg_wal_replay_pause()')
      await until('its replay is paused', async () => {
        const { rows } = await query('SELECT pg_get_wal_replay_pause_state() AS state')
        return rows[0].state === 'paused'
      })
    },
    async resume() {
      await query('SELECT pg_wal_replay_resume()')
    },
  }
}

// Files of a running server that must not be copied to another one.
const leftOut = /^(pg_wal|pg_replslot|pg_stat_tmp|postmaster\.(pid|opts)|standby\.signal)$/

/**
 * Copies a running server by SQL functions for base backups: pg_basebackup is not part of every
 * installation.
 */
async function copyServer(from: Server, to: Server): Promise<void> {
  await withClient(from.connection, async (client: Client) => {
    await client.query(`SELECT pg_backup_start('copy', true)`)
    const files = from.clusterDir.length + 1
    await cp(from.clusterDir, to.clusterDir, {
      recursive: true,
      filter: (path) => !leftOut.test(path.slice(files)),
    })
    const { rows } = await client.query('SELECT labelfile FROM pg_backup_stop(false)')
    await writeFile(join(to.clusterDir, 'backup_label'), rows[0].labelfile)
  })
  for (const folder of ['pg_wal/archive_status', 'pg_replslot', 'pg_stat_tmp'])
    await mkdir(join(to.clusterDir, folder), { recursive: true, mode: 0o700 })
  await writeFile(join(to.clusterDir, 'standby.signal'), '')
  const { host, port, user } = from.connection
  await writeFile(
    join(to.clusterDir, 'postgresql.auto.conf'),
    `primary_conninfo = 'host=${host} port=${port} user=${user}'\n`,
  )
}
