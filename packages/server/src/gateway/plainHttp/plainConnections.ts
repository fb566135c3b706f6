import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { createHeadWriter } from './answerHead.ts'
import { PlainConnection, type PlainConnectionOptions } from './plainConnection.ts'

export type PlainConnectionsOptions = Omit<
  PlainConnectionOptions,
  'writeHead' | 'isClosing' | 'handOver' | 'onGone'
>

/** The connections of a server that have sent nothing but plain requests. */
export type PlainConnections = {
  /** From now on connections of the server come here first. */
  attach(server: Server): void
  /** Ends each connection after the answer that is under way. */
  close(): void
}

export function createPlainConnections(options: PlainConnectionsOptions): PlainConnections {
  const open = new Set<PlainConnection>()
  let isClosing = false
  const ofConnections = {
    ...options,
    writeHead: createHeadWriter(options.keepAliveMs),
    isClosing: () => isClosing,
    onGone: (connection: PlainConnection) => void open.delete(connection),
  }
  return {
    attach(server) {
      // Node's own listener, which makes requests of what a connection sends.
      const listeners = server.listeners('connection')
      server.removeAllListeners('connection')
      const handOver = (socket: Socket) => {
        for (const listener of listeners) listener.call(server, socket)
      }
      server.on('connection', (socket: Socket) =>
        open.add(new PlainConnection(socket, { ...ofConnections, handOver })),
      )
    },
    close() {
      isClosing = true
      for (const connection of [...open]) connection.close()
    },
  }
}
