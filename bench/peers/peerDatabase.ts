import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { loadCompiled } from '../loadCompiled.ts'

export type PeerDatabase = {
  connection: { host: string; port: number; user: string; database: string }
  run(sql: string): Promise<void>
  /** Returns the first column of the first row as a number. */
  ask(sql: string): Promise<number>
  stop(): Promise<void>
}

/** Starts an empty server, configured as the service's own. */
export async function openPeerDatabase(): Promise<PeerDatabase> {
  const { createLogger } = await loadCompiled('lib/logger')
  const { startPrivatePostgres } = await loadCompiled('store/privatePostgres')
  const dataDir = await mkdtemp(join(tmpdir(), 'chaintape-bench-'))
  const server = await startPrivatePostgres({ dataDir, logger: createLogger('warn') })
  const client = new Client(server.connection)
  await client.connect()
  return {
    connection: server.connection,
    async run(sql) {
      await client.query(sql)
    },
    async ask(sql) {
      const { rows } = await client.query({ text: sql, rowMode: 'array' })
      return Number((rows as unknown[][])[0]?.[0])
    },
    async stop() {
      await client.end()
      await server.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
