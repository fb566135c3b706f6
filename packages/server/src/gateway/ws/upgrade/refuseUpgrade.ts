import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { errorBody, errorSpecs } from '@chaintape/protocol'
import type { RequestError } from '../../errors.ts'
import { lingerMs } from '../../http/refuseBytes.ts'

/** Answers an upgrade that becomes no WebSocket with an HTTP error, on the bare socket. */
export function refuseUpgrade(
  socket: Duplex,
  { wireCode, shortMessage, param, retryAfterS }: RequestError,
): void {
  const { httpStatus } = errorSpecs[wireCode]
  const waitS = retryAfterS ?? (httpStatus === 503 ? 1 : undefined)
  const body = JSON.stringify(errorBody(wireCode, shortMessage, param))
  socket.on('error', () => socket.destroy())
  // Who does not read it is cut off all the same.
  const timer = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(timer))
  socket.once('finish', () => socket.destroy())
  socket.end(
    [
      `HTTP/1.1 ${httpStatus} ${STATUS_CODES[httpStatus]}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
      ...(waitS === undefined ? [] : [`Retry-After: ${waitS}`]),
      '',
      body,
    ].join('\r\n'),
  )
}
