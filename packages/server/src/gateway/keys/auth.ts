import { RequestError } from '../errors.ts'
import type { Clock } from '../gatewayChain.ts'
import type { ApiKey } from './apiKey.ts'
import type { KeyCache } from './keyCache.ts'

// Longer than any key we accept: not worth a lookup.
const keyCharsMax = 512

/** The key of a request, or the error that says why there is none. */
export async function authenticate(
  header: string | string[] | undefined,
  { keyCache, clock }: { keyCache: KeyCache; clock: Clock },
): Promise<ApiKey> {
  const text = (Array.isArray(header) ? header.join() : header)?.trim()
  if (!text)
    throw new RequestError('missing_key', 'Send your API key in the X-API-KEY header.', 'X-API-KEY')
  const key = text.length > keyCharsMax ? null : await keyCache.find(text)
  if (key === null)
    throw new RequestError('invalid_key', 'This API key is not known here.', 'X-API-KEY')
  if (key.revokedAtS !== null)
    throw new RequestError('invalid_key', 'This API key was revoked.', 'X-API-KEY')
  if (key.expiresAtS !== null && clock.nowMs() >= key.expiresAtS * 1_000)
    throw new RequestError('expired_key', 'This API key has expired.', 'X-API-KEY')
  return key
}
