import type { IncomingMessage } from 'node:http'
import { RequestError } from './errors.ts'

/** A request of HTTP/1.1 names the host it is for (RFC 9112, 3.2). */
export function checkHost({ headers, httpVersion }: IncomingMessage): void {
  if (headers.host === undefined && httpVersion === '1.1')
    throw new RequestError('bad_request', 'The request has no Host header.', 'Host')
}
