import { type ErrorCode, errorBody, errorSpecs } from '@chaintape/protocol'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from '../lib/logger.ts'
import { RequestError } from './errors.ts'

// What is unavailable now is asked for again at a human pace.
const retryAfterS = 1

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
  return new RequestError('internal', 'The service failed to answer; its log has the cause.')
}

export function sendError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  logger: Logger,
): FastifyReply {
  const { wireCode, shortMessage, param } = toRequestError(error)
  const { httpStatus } = errorSpecs[wireCode]
  if (wireCode === 'internal')
    logger.error({ msg: 'Failed to answer', method: request.method, url: request.url, err: error })
  if (httpStatus === 503) reply.header('retry-after', retryAfterS)
  return reply.code(httpStatus).send(errorBody(wireCode, shortMessage, param))
}

const statusTexts: Record<number, string> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
}

/** The answer to bytes that are not HTTP, written to the bare socket. */
export function rawErrorResponse(reason: string | undefined): string {
  const [status, code, sentence]: [number, ErrorCode, string] =
    reason === 'HPE_HEADER_OVERFLOW'
      ? [431, 'bad_request', 'The request headers are too large.']
      : reason === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? [408, 'bad_request', 'The request took too long to arrive.']
        : [400, 'bad_request', 'The request is not valid HTTP.']
  const body = JSON.stringify(errorBody(code, sentence))
  return [
    `HTTP/1.1 ${status} ${statusTexts[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n')
}
