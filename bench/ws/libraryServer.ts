// The server that one would write first: the library `ws`, and send(JSON.stringify(message)) to
// each client.
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'
import { type Pace, startPacer } from './pacer.ts'
import { answerQuestions, report } from './serverProtocol.ts'

export type LibraryOptions = Pace & { payloadPath: string }

const options = JSON.parse(process.argv[2]!) as LibraryOptions
const message = JSON.parse(readFileSync(options.payloadPath, 'utf8'))
const clients = new Set<WebSocket>()
const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
server.on('connection', (client) => {
  client.on('message', () => {
    clients.add(client)
    client.send(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { status: 'ok' } }))
  })
  client.on('close', () => clients.delete(client))
  client.on('error', () => undefined)
})
await new Promise((resolve) => server.on('listening', resolve))

const control = await startPacer({
  ...options,
  publish(marks) {
    for (const transaction of marks) {
      message.result.tx.transaction = transaction
      for (const client of clients) client.send(JSON.stringify(message))
    }
  },
})
answerQuestions({})
report({ event: 'ready', port: (server.address() as AddressInfo).port, control })
