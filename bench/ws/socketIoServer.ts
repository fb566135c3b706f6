// Socket.IO, with a room for the topic.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { type Pace, startPacer } from './pacer.ts'
import { answerQuestions, report } from './serverProtocol.ts'

export type SocketIoOptions = Pace & { payloadPath: string; packageDir: string }

// Types of the used parts: the package is not a dependency of this repository.
type Room = { emit(event: string, message: unknown): void }
type Socket = Room & { on(event: string, listener: () => void): void; join(room: string): void }
type SocketIo = Room & { on(event: string, listener: (socket: Socket) => void): void }
type Package = {
  Server: new (http: unknown, options: object) => SocketIo & { to(room: string): Room }
}

const options = JSON.parse(process.argv[2]!) as SocketIoOptions
const message = JSON.parse(readFileSync(options.payloadPath, 'utf8'))
const http = createServer()
const { Server } = createRequire(`${options.packageDir}/`)('socket.io') as Package
const server = new Server(http, { transports: ['websocket'], perMessageDeflate: false })
server.on('connection', (socket) => {
  socket.on('subscribe', () => {
    socket.join('topic')
    socket.emit('answer', 'ok')
  })
})
await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))

const control = await startPacer({
  ...options,
  publish(marks) {
    for (const transaction of marks) {
      message.result.tx.transaction = transaction
      server.to('topic').emit('tx', message)
    }
  },
})
answerQuestions({})
report({ event: 'ready', port: (http.address() as AddressInfo).port, control })
