import { setTimeout as delay } from 'node:timers/promises'
import type { Connection } from './connection.ts'

export type CloseLimits = {
  /** Maximum time over which closing all connections is spread. */
  spreadMsMax: number
  msMax: number
}

// Closing 1,000 clients a second does not overload the server they reconnect to, and a few are
// closed immediately.
const spreadMsEach = 1
const spreadEveryMs = 20

/** Connections of a server that are not fully closed yet. */
type ConnectionSet = {
  readonly size: number
  add(connection: Connection): void
  delete(connection: Connection): void
  tick(nowMs: number): void
  /**
   * Closes all connections, spread over a while, so that clients do not all reconnect at the same
   * moment. Connections still open `msMax` after that are terminated.
   */
  closeAll(code: number, reason: string, limits: CloseLimits): Promise<void>
}

export function createConnectionSet(): ConnectionSet {
  const connections = new Set<Connection>()
  let onEmpty: (() => void) | null = null

  return {
    get size() {
      return connections.size
    },
    add: (connection) => void connections.add(connection),
    delete(connection) {
      connections.delete(connection)
      if (connections.size === 0) onEmpty?.()
    },
    tick(nowMs) {
      for (const connection of connections) connection.tick(nowMs)
    },
    async closeAll(code, reason, { spreadMsMax, msMax }) {
      if (connections.size === 0) return
      const isEmpty = new Promise<void>((resolve) => {
        onEmpty = resolve
      })
      await closeInTurn([...connections], { code, reason, spreadMsMax })
      const timer = setTimeout(() => {
        for (const connection of connections) connection.terminate()
      }, msMax)
      await isEmpty
      clearTimeout(timer)
    },
  }
}

async function closeInTurn(
  open: readonly Connection[],
  { code, reason, spreadMsMax }: { code: number; reason: string; spreadMsMax: number },
): Promise<void> {
  const spreadMs = Math.min(open.length * spreadMsEach, spreadMsMax)
  const rounds = Math.max(1, Math.floor(spreadMs / spreadEveryMs))
  const each = Math.ceil(open.length / rounds)
  for (let at = 0; at < open.length; at += each) {
    if (at > 0) await delay(spreadEveryMs)
    for (const connection of open.slice(at, at + each)) connection.close(code, reason)
  }
}
