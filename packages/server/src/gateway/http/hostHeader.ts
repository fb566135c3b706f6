import type { IncomingMessage } from 'node:http'
import { RequestError } from '../errors.ts'

/** A request of HTTP/1.1 names the host it is for (RFC 9112, 3.2). */
export function isHostMissing({ headers, httpVersion }: IncomingMessage): boolean {
  return headers.host === undefined && httpVersion === '1.1'
}

export function hostMissing(): RequestError {
  return new RequestError('bad_request', 'The request has no Host header.', 'Host')
}
