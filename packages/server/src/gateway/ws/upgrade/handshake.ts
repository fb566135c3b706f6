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

/** Runs the handshake of the `ws` library, and reports whether compression was negotiated. */
export function createHandshake(limits: WsLimits, isCompressionEnabled: boolean): Handshake {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    // `Connection` answers pings, because it knows whether the client reads.
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
    // The `ws` library emits `headers` and calls back before `handleUpgrade` returns.
    extensions = undefined
    server.handleUpgrade(request, socket, head, (webSocket) =>
      onOpen(webSocket, isDeflateAgreed(extensions)),
    )
  }
}
