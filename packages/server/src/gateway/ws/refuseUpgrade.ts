import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { errorBody, errorSpecs } from '@chaintape/protocol'
import type { RequestError } from '../errors.ts'

/** Answers an upgrade that becomes no WebSocket with an HTTP error, on the bare socket. */
export function refuseUpgrade(
  socket: Duplex,
  { wireCode, shortMessage, param }: RequestError,
): void {
  const { httpStatus } = errorSpecs[wireCode]
  const body = JSON.stringify(errorBody(wireCode, shortMessage, param))
  socket.on('error', () => socket.destroy())
  socket.once('finish', () => socket.destroy())
  socket.end(
    [
      `HTTP/1.1 ${httpStatus} ${STATUS_CODES[httpStatus]}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
      ...(httpStatus === 503 ? ['Retry-After: 1'] : []),
      '',
      body,
    ].join('\r\n'),
  )
}
