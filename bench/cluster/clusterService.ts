// A service in several processes on this machine, for benches: a database, NATS servers, and
// programs in roles that are started and stopped individually.
import { once } from 'node:events'
import { createServer } from 'node:net'
import { type NatsServers, startNatsServers } from '../../test/support/natsServers.ts'
import {
  createDataDir,
  removeDataDir,
  silentLogger,
  type TestConnection,
  urlOf,
} from '../../test/support/postgres.ts'
import { type Program, runProgram } from '../../test/support/program.ts'
import { until } from '../../test/support/until.ts'
import { loadCompiled } from '../loadCompiled.ts'

export type Role = 'indexer' | 'gateway'

export type RoleProcess = Program & { role: Role; address: string }

export type ClusterService = {
  connection: TestConnection
  nats: NatsServers
  start(role: Role): Promise<RoleProcess>
  stop(): Promise<void>
}

export type ClusterServiceOptions = {
  /** @default 1 */
  natsServers?: number
  /** Writes a config file with these settings and the chain's; returns its path. */
  writeConfig(dataDir: string, settings: object): Promise<string>
}

// Far longer than a start takes on a busy machine.
const startMsMax = 120_000

export async function startClusterService(options: ClusterServiceOptions): Promise<ClusterService> {
  const { startPrivatePostgres } = await loadCompiled('store/privatePostgres')
  const dataDir = await createDataDir()
  const postgres = await startPrivatePostgres({ dataDir, logger: silentLogger })
  const nats = await startNatsServers(options.natsServers ?? 1)
  const config = await options.writeConfig(dataDir, {
    data_dir: dataDir,
    database_url: urlOf(postgres.connection),
    nats: { urls: nats.urls },
    log: { level: 'info' },
  })
  const running: RoleProcess[] = []
  return {
    connection: postgres.connection,
    nats,
    async start(role) {
      const port = await freePort()
      const words = ['start', '--json', '--config', config, '--role', role, '--port', `${port}`]
      const process: RoleProcess = {
        ...runProgram(words),
        role,
        address: `http://127.0.0.1:${port}`,
      }
      running.push(process)
      return process
    },
    async stop() {
      for (const { child, ended } of running) {
        child.kill('SIGCONT')
        child.kill('SIGKILL')
        await ended
      }
      await nats.stop()
      await postgres.stop()
      await removeDataDir(dataDir)
    },
  }
}

/** Resolves when the process has logged this message. */
export async function untilLogged(process: RoleProcess, message: string): Promise<void> {
  const isLogged = () => process.stderr().includes(`"msg":"${message}"`)
  await until(`an ${process.role} logs "${message}"`, isLogged, startMsMax)
}

/** Resolves when a gateway serves the newest block. */
export async function untilReady({ address }: RoleProcess): Promise<void> {
  const isReady = async () =>
    (await fetch(`${address}/health/ready`).catch(() => null))?.ok === true
  await until(`${address} is ready`, isReady, startMsMax)
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
