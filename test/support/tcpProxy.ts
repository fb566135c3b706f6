import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import type { TestConnection } from './postgres.ts'

/** A proxy between clients and a server that simulates connection faults. */
export type TcpProxy = {
  address: string
  /** Number of open connections. */
  connections(): number
  /** Drops every connection. */
  cut(): void
  /** Lets no more bytes pass, without closing connections. */
  freeze(): void
  /** While true, no bytes pass, also on new connections. They are delivered afterwards. */
  hold(isHeld: boolean): void
  /** While true, new connections are refused. */
  refuse(isRefusing: boolean): void
  close(): Promise<void>
}

/** Closes both sockets when either ends, and lists both in `open` meanwhile. */
export function linkSockets(client: Socket, upstream: Socket, open: Set<Socket>): void {
  for (const socket of [client, upstream]) {
    open.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => {
      open.delete(socket)
      client.destroy()
      upstream.destroy()
    })
  }
}

export async function startTcpProxy(target: string): Promise<TcpProxy> {
  const { hostname: host, port } = new URL(target)
  return await startProxy({ host, port: Number(port) }, { host: '127.0.0.1', port: 0 })
}

/** Exposes a PostgreSQL server's socket in another folder. */
export async function startSocketProxy(
  { host, port }: TestConnection,
  folder: string,
): Promise<TcpProxy> {
  const name = `.s.PGSQL.${port}`
  return await startProxy({ path: join(host, name) }, { path: join(folder, name) })
}

type Place = { host: string; port: number } | { path: string }

async function startProxy(target: Place, place: Place): Promise<TcpProxy> {
  const sockets = new Set<Socket>()
  const pairs = new Set<readonly [Socket, Socket]>()
  let isRefusing = false
  let isHolding = false
  const join = ([client, upstream]: readonly [Socket, Socket]) => {
    client.pipe(upstream)
    upstream.pipe(client)
  }
  const freeze = () => {
    for (const socket of sockets) {
      socket.unpipe()
      socket.pause()
    }
  }
  const server = createServer((client) => {
    if (isRefusing) {
      client.on('error', () => undefined).destroy()
      return
    }
    const upstream = connect(target)
    const pair = [client, upstream] as const
    linkSockets(client, upstream, sockets)
    pairs.add(pair)
    client.once('close', () => pairs.delete(pair))
    if (!isHolding) join(pair)
  })
  await new Promise<void>((resolve) => server.listen(place, resolve))
  const { port } = (server.address() ?? {}) as Partial<AddressInfo>
  return {
    address: `http://127.0.0.1:${port}`,
    connections: () => pairs.size,
    cut() {
      for (const socket of sockets) {
        // Unix sockets cannot be reset, so the connection is destroyed.
        if ('path' in target) socket.destroy()
        else socket.resetAndDestroy()
      }
    },
    freeze,
    hold(isHeld) {
      isHolding = isHeld
      if (isHeld) freeze()
      else for (const pair of pairs) join(pair)
    },
    refuse(value) {
      isRefusing = value
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
