import { errorBody, errorSpecs, type UdfError } from '@chaintape/protocol'
import type { Logger } from '../../../lib/logger.ts'
import { isDatabaseAway } from '../../../store/databaseFault.ts'
import { RequestError } from '../../errors.ts'

// What is unavailable now is asked for again at a human pace.
const unavailableRetryS = 1

/** What is said to whom something failed for. */
export type ErrorAnswer = {
  status: number
  retryAfterS: number | undefined
  /** JSON. */
  text: string
}

/** The wire form of anything that was thrown while answering. */
export function toRequestError(error: unknown): RequestError {
  if (error instanceof RequestError) return error
  if (isDatabaseAway(error))
    return new RequestError('unavailable', 'The database does not answer now; try again soon.')
  return new RequestError('internal', 'The service failed to answer; its log has the cause.')
}

/** The answer to a request that failed; what is our own fault is logged. */
export function errorAnswer(
  error: unknown,
  { method, url, route }: { method: string; url: string; route: string },
  logger: Logger,
): ErrorAnswer {
  const { wireCode, shortMessage, param, retryAfterS } = toRequestError(error)
  const { httpStatus } = errorSpecs[wireCode]
  const isOfChart = url.startsWith(chartStart) || route.startsWith(chartStart)
  // Without the query: a key may stand there. And in the path of a chart, or of what was meant to be one.
  const isSecret = isOfChart || route === 'unmatched'
  const asked = { method, path: isSecret ? route : url.split('?')[0] }
  if (wireCode === 'internal') logger.error({ msg: 'Failed to answer', ...asked, err: error })
  else if (wireCode === 'unavailable' && !(error instanceof RequestError))
    logger.warn({ msg: 'Could not answer', ...asked, err: error })
  return {
    status: httpStatus,
    retryAfterS: retryAfterS ?? (httpStatus === 503 ? unavailableRetryS : undefined),
    text: JSON.stringify(
      isOfChart
        ? ({ s: 'error', errmsg: shortMessage } satisfies UdfError)
        : errorBody(wireCode, shortMessage, param),
    ),
  }
}

// Charting libraries look into the body alone, and know errors by this form.
const chartStart = '/udf/'
