import { rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'

/** A proxy between a client and the server's WebSocket that can lose answers. */
export type CuttingProxy = {
  socketDir: string
  /**
   * Loses the answer to the next message that contains the text, and closes the connection. The
   * server receives the message.
   */
  loseAnswerTo(text: string): void
  /** Loses the next message that contains the text, and closes the connection. */
  loseMessage(text: string): void
  cutCount(): number
  close(): Promise<void>
}

export async function startCuttingProxy(
  server: { host: string; port: number },
  socketDir: string,
): Promise<CuttingProxy> {
  let lostAnswer: string | null = null
  let lostMessage: string | null = null
  let cuts = 0
  const sockets = new Set<Socket>()

  const listener = createServer((client) => {
    const upstream = connect(join(server.host, `.s.PGSQL.${server.port}`))
    let isCutting = false
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
    client.on('data', (chunk) => {
      if (lostMessage !== null && chunk.includes(lostMessage)) {
        lostMessage = null
        cuts += 1
        client.destroy()
        return
      }
      if (lostAnswer !== null && chunk.includes(lostAnswer)) {
        lostAnswer = null
        isCutting = true
      }
      upstream.write(chunk)
    })
    upstream.on('data', (chunk) => {
      if (!isCutting) {
        client.write(chunk)
        return
      }
      cuts += 1
      client.destroy()
    })
  })
  const path = join(socketDir, '.s.PGSQL.5432')
  await rm(path, { force: true })
  await new Promise<void>((resolve) => listener.listen(path, resolve))
  return {
    socketDir,
    loseAnswerTo(text) {
      lostAnswer = text
    },
    loseMessage(text) {
      lostMessage = text
    },
    cutCount: () => cuts,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => listener.close(resolve))
    },
  }
}
