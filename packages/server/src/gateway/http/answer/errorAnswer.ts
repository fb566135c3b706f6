import { errorBody, errorSpecs, type UdfError } from '@chaintape/protocol'
import type { Logger } from '../../../lib/logger.ts'
import { isDatabaseUnreachable } from '../../../store/errors.ts'
import { RequestError } from '../../ground/errors.ts'

// Default Retry-After of a 503 answer: about the pace at which a person retries.
const unavailableRetryS = 1

/** HTTP answer to a request that failed. */
export type ErrorAnswer = {
  status: number
  retryAfterS: number | undefined
  /** Error body, as JSON. */
  text: string
}

/** Converts anything thrown while answering into an error with a wire code. */
export function toRequestError(error: unknown): RequestError {
  if (error instanceof RequestError) return error
  if (isDatabaseUnreachable(error))
    return new RequestError('unavailable', 'The database is not answering; try again soon.')
  return new RequestError('internal', 'The service failed to answer; the cause is in its log.')
}

/** Builds the answer to a request that failed, and logs failures of the service itself. */
export function errorAnswer(
  error: unknown,
  { method, url, route }: { method: string; url: string; route: string },
  logger: Logger,
): ErrorAnswer {
  const { wireCode, shortMessage, param, retryAfterS } = toRequestError(error)
  const { httpStatus } = errorSpecs[wireCode]
  const isOfChart = url.startsWith(chartStart) || route.startsWith(chartStart)
  // The log gets no query, because it may hold an API key. The path of a chart may hold a key too,
  // as may an unknown path that was meant for a chart.
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

// Start of chart paths. Charting libraries only read the body, and recognize errors by its form
// `{"s":"error"}`.
const chartStart = '/udf/'
