import type { Connection } from './connection.ts'

/** The connections of a server that are not fully closed. */
type ConnectionSet = {
  readonly size: number
  add(connection: Connection): void
  delete(connection: Connection): void
  tick(nowMs: number): void
  /** Closes all of them; those that do not end within the time are cut off. */
  closeAll(code: number, reason: string, msMax: number): Promise<void>
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
    async closeAll(code, reason, msMax) {
      if (connections.size === 0) return
      const isEmpty = new Promise<void>((resolve) => {
        onEmpty = resolve
      })
      for (const connection of connections) connection.close(code, reason)
      const timer = setTimeout(() => {
        for (const connection of connections) connection.terminate()
      }, msMax)
      await isEmpty
      clearTimeout(timer)
    },
  }
}
