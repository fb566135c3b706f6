// The way of one process to the servers of the database, which can be cut while those of the others hold.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestConnection, urlOf } from './postgres.ts'
import { urlOfServers } from './replica.ts'
import { startSocketProxy } from './tcpProxy.ts'

export type DatabaseLines = {
  env: NodeJS.ProcessEnv
  /** How many lead through them. */
  sessions(): number
  /** Ends every session. */
  cut(): void
  /** While it is true, nothing comes through and nobody is told. */
  hold(isHeld: boolean): void
  close(): Promise<void>
}

/** `folder`: short, as names of sockets are. The last server is the one that history is read from. */
export async function startDatabaseLines(
  servers: readonly TestConnection[],
  folder: string,
): Promise<DatabaseLines> {
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
    sessions: () => lines.reduce((sum, line) => sum + line.connections(), 0),
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
