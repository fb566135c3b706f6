import type { Socket } from 'node:net'
import { freeKey } from './floodKeys.ts'

// Maximum number of messages in a request.
const batchMessages = 10

const body = JSON.stringify(
  Array.from({ length: batchMessages }, (_, id) => ({ jsonrpc: '2.0', id, method: 'tools/list' })),
)
const request = [
  'POST /mcp HTTP/1.1',
  'Host: bench',
  `X-API-KEY: ${freeKey}`,
  'Accept: application/json, text/event-stream',
  'Content-Type: application/json',
  `Content-Length: ${body.length}`,
  '',
  body,
].join('\r\n')

/** Sends batches of `tools/list`, the next one as soon as a part of an answer arrives. */
export function floodMcp(socket: Socket): void {
  socket.on('data', () => {
    if (socket.writableLength === 0) socket.write(request)
  })
  socket.write(request)
}
