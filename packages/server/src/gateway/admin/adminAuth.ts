import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { RequestError } from '../errors.ts'
import { hashApiKey } from '../keys/apiKey.ts'

const header = 'X-ADMIN-KEY'

/** A check that lets only the admin key pass. Hashes have one length, so comparing them tells nothing by its time. */
export function createAdminAuth(adminKey: string): (request: IncomingMessage) => void {
  const expected = hashApiKey(adminKey)
  return ({ headers }) => {
    const given = headers['x-admin-key']
    if (given === undefined || given === '')
      throw new RequestError('missing_key', `Send the admin key in the ${header} header.`, header)
    if (!timingSafeEqual(hashApiKey(String(given)), expected))
      throw new RequestError('invalid_key', 'This is not the admin key.', header)
  }
}
