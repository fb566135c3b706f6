import { fastify } from 'fastify'
import { expect, test, vi } from 'vitest'
import { AppError } from '../../lib/errors.ts'
import { createLogger } from '../../lib/logger.ts'
import { StoreUnreachableError } from '../../store/errors.ts'
import { RequestError } from '../errors.ts'
import { sendError } from './errorBody.ts'

async function answerTo(thrown: unknown, logger = createLogger('silent')) {
  const app = fastify()
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply, logger))
  app.get('/', async () => {
    throw thrown
  })
  const { statusCode, headers, body } = await app.inject('/?api_key=secret')
  return { status: statusCode, retryAfter: headers['retry-after'], body: JSON.parse(body) }
}

test('default: status, code, sentence and input', async () => {
  expect(await answerTo(new RequestError('malformed_id', 'A sentence.', 'pair-id'))).toEqual({
    status: 400,
    retryAfter: undefined,
    body: {
      ...{ status: 0, msg: 'A sentence.', data: null },
      error: { code: 'malformed_id', param: 'pair-id' },
    },
  })
})

test('behavior: Retry-After is sent where it is known', async () => {
  const error = new RequestError('rate_limited', 'Slow down.', undefined, { retryAfterS: 7 })
  expect(await answerTo(error)).toMatchObject({ status: 429, retryAfter: '7' })
  const ready = new RequestError('not_ready', 'Not yet.')
  expect(await answerTo(ready)).toMatchObject({ status: 503, retryAfter: '1' })
})

test.each([
  [new StoreUnreachableError({ where: 'there' })],
  [Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })],
  [Object.assign(new Error('shutting down'), { code: '57P01', severity: 'FATAL' })],
  [new Error('Connection terminated unexpectedly')],
  [new Error('timeout exceeded when trying to connect')],
])('behavior: a database that is away is 503: %s', async (error) => {
  expect(await answerTo(error)).toMatchObject({
    ...{ status: 503, retryAfter: '1' },
    body: { error: { code: 'unavailable' } },
  })
})

test.each([
  [new TypeError('x is not a function')],
  [new AppError('SOMETHING', 'Broken.', { retryable: true })],
  [Object.assign(new Error('syntax'), { code: '42601', severity: 'ERROR' })],
])('behavior: all else is ours, and tells nothing: %s', async (error) => {
  const { status, body } = await answerTo(error)
  expect([status, body.error.code]).toEqual([500, 'internal'])
  expect(JSON.stringify(body)).not.toContain(error.message)
})

test('behavior: the log has the path and the cause, and never the query, where a key may stand', async () => {
  const logger = createLogger('silent')
  const error = vi.spyOn(logger, 'error')
  await answerTo(new Error('broken'), logger)
  expect(error).toHaveBeenCalledOnce()
  const line = error.mock.calls[0]![0]
  expect(line).toMatchObject({ method: 'GET', path: '/', err: { message: 'broken' } })
  expect(JSON.stringify(line)).not.toContain('secret')
})
