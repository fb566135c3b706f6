// One process's connections to the database servers, which can be cut without affecting other
// processes.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestConnection, urlOf } from './postgres.ts'
import { urlOfServers } from './replica.ts'
import { startSocketProxy } from './tcpProxy.ts'

export type DatabaseProxies = {
  env: NodeJS.ProcessEnv
  /** Number of open connections. */
  connectionCount(): number
  /** Closes every connection. */
  cut(): void
  /** While true, no bytes pass and no connection is closed. */
  hold(isHeld: boolean): void
  close(): Promise<void>
}

/**
 * `folder`: a short path, since socket paths are limited in length. History is read from the last
 * server.
 */
export async function startDatabaseProxies(
  servers: readonly TestConnection[],
  folder: string,
): Promise<DatabaseProxies> {
  const ends = servers.map((server, index) => ({ ...server, host: join(folder, `${index}`) }))
  for (const { host } of ends) await mkdir(host, { recursive: true, mode: 0o700 })
  const lines = await Promise.all(
    servers.map((server, index) => startSocketProxy(server, ends[index]!.host)),
  )
  return {
    env: {
      CHAINTAPE_DATABASE_URL: urlOfServers(ends),
      CHAINTAPE_DATABASE_READ_URL: urlOf(ends.at(-1)!),
    },
    connectionCount: () => lines.reduce((sum, line) => sum + line.connections(), 0),
    cut() {
      for (const line of lines) line.cut()
    },
    hold(isHeld) {
      for (const line of lines) line.hold(isHeld)
    },
    async close() {
      await Promise.all(lines.map((line) => line.close()))
    },
  }
}
