import { errorBody, errorSpecs } from '@chaintape/protocol'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from '../lib/logger.ts'
import { isDatabaseAway } from '../store/databaseFault.ts'
import { RequestError } from './errors.ts'

// What is unavailable now is asked for again at a human pace.
const unavailableRetryS = 1

/** The wire form of anything that was thrown while answering. */
export function toRequestError(error: unknown): RequestError {
  if (error instanceof RequestError) return error
  const { code, statusCode } = (error ?? {}) as { code?: unknown; statusCode?: unknown }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new RequestError('body_too_large', 'The request body is over the size limit.', 'body')
  if (code === 'FST_ERR_BAD_URL')
    return new RequestError('bad_request', 'The path is not valid percent-encoding.', 'path')
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500)
    return new RequestError('bad_request', 'The request is not valid HTTP.')
  if (isDatabaseAway(error))
    return new RequestError('unavailable', 'The database does not answer now; try again soon.')
  return new RequestError('internal', 'The service failed to answer; its log has the cause.')
}

export function sendError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  logger: Logger,
): FastifyReply {
  const { wireCode, shortMessage, param, retryAfterS } = toRequestError(error)
  const { httpStatus } = errorSpecs[wireCode]
  // Without the query: a key may stand there.
  const asked = { method: request.method, path: request.url.split('?')[0] }
  if (wireCode === 'internal') logger.error({ msg: 'Failed to answer', ...asked, err: error })
  else if (wireCode === 'unavailable' && !(error instanceof RequestError))
    logger.warn({ msg: 'Could not answer', ...asked, err: error })
  if (retryAfterS !== undefined) reply.header('retry-after', retryAfterS)
  else if (httpStatus === 503) reply.header('retry-after', unavailableRetryS)
  return reply.code(httpStatus).send(errorBody(wireCode, shortMessage, param))
}
