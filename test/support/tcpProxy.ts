import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Stands between clients and a server, and can be a bad line. */
export type TcpProxy = {
  address: string
  /** Ends every connection without a word. */
  cut(): void
  /** Nothing comes through any more, and nobody is told. */
  freeze(): void
  /** While it is true, who connects is sent away. */
  refuse(isRefusing: boolean): void
  close(): Promise<void>
}

/** Where one of two connections ends, so does the other; both are listed while they are open. */
export function tieTogether(client: Socket, upstream: Socket, open: Set<Socket>): void {
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
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  let isRefusing = false
  const server = createServer((client) => {
    if (isRefusing) {
      client.on('error', () => undefined).destroy()
      return
    }
    const upstream = connect(Number(port), hostname)
    tieTogether(client, upstream, sockets)
    client.pipe(upstream)
    upstream.pipe(client)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut() {
      for (const socket of sockets) socket.resetAndDestroy()
    },
    freeze() {
      for (const socket of sockets) {
        socket.unpipe()
        socket.pause()
      }
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
