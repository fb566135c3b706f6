import type { Metrics } from '../../lib/metrics.ts'
import { RequestError } from '../errors.ts'

/** Why a key is refused. The errors are made once: a flood of bad keys shall not cost a stack trace each. */
export function createKeyRefusals(metrics: Metrics) {
  const name = 'X-API-KEY'
  function refusal(error: RequestError) {
    return () => {
      metrics.refusedRequestsTotal.inc({ reason: error.wireCode })
      return error
    }
  }
  return {
    missing: refusal(
      new RequestError('missing_key', 'Send your API key in the X-API-KEY header.', name),
    ),
    unknown: refusal(new RequestError('invalid_key', 'This API key is not known here.', name)),
    early: refusal(
      new RequestError('unavailable', 'The service is starting, and this key is not known yet.'),
    ),
    revoked: refusal(new RequestError('invalid_key', 'This API key was revoked.', name)),
    expired: refusal(new RequestError('expired_key', 'This API key has expired.', name)),
  }
}
