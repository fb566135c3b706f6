import type { IncomingMessage } from 'node:http'
import { RequestError } from '../../errors.ts'

/** Why a request is refused for its Host headers: HTTP/1.1 has exactly one, HTTP/1.0 at most one (RFC 9112, 3.2). */
export function hostFault({ rawHeaders, httpVersion }: IncomingMessage): RequestError | null {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!
    // Most names have another length.
    if (name.length === hostLength && name.toLowerCase() === 'host') count += 1
  }
  if (count === 1 || (count === 0 && httpVersion !== '1.1')) return null
  const found = count === 0 ? 'no Host header' : `${count} Host headers`
  return new RequestError('bad_request', `The request has ${found}; send one.`, 'Host')
}

const hostLength = 'host'.length
