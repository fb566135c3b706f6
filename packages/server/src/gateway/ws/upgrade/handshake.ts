import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { isDeflateAgreed } from '../sending/sharedDeflate.ts'
import type { WsLimits } from '../wsLimits.ts'

type Handshake = (
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  onOpen: (webSocket: WebSocket, isDeflated: boolean) => void,
) => void

/** The library's handshake, which also says whether compression was agreed on. */
export function createHandshake(limits: WsLimits, isCompressionEnabled: boolean): Handshake {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    // Answered by the connection, which knows whether the peer reads.
    autoPong: false,
    maxPayload: limits.messageBytesMax,
    perMessageDeflate: isCompressionEnabled
      ? { serverNoContextTakeover: true, clientNoContextTakeover: true }
      : false,
  })
  let extensions: string | undefined
  server.on('headers', (headers) => {
    extensions = headers.find((header) => /^sec-websocket-extensions:/i.test(header))
  })
  return (request, socket, head, onOpen) => {
    // The library emits `headers` and calls back before it returns.
    extensions = undefined
    server.handleUpgrade(request, socket, head, (webSocket) =>
      onOpen(webSocket, isDeflateAgreed(extensions)),
    )
  }
}
