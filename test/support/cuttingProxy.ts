import { rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'

/** Stands between a client and the server's socket and can take answers away. */
export type CuttingProxy = {
  socketDir: string
  /** The next message that contains the text reaches the server; its answer, and the connection, are lost. */
  loseAnswerTo(text: string): void
  /** The next message that contains the text is lost with the connection. */
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
