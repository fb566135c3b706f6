import { expect, test, vi } from 'vitest'
import { AppError } from '../../../lib/errors.ts'
import { createLogger } from '../../../lib/logger.ts'
import { StoreUnreachableError } from '../../../store/errors.ts'
import { RequestError } from '../../ground/errors.ts'
import { errorAnswer } from './errorAnswer.ts'

function answerTo(thrown: unknown, logger = createLogger('silent')) {
  const request = { method: 'GET', url: '/?api_key=secret', route: '/' }
  const { status, retryAfterS, text } = errorAnswer(thrown, request, logger)
  return { status, retryAfterS, body: JSON.parse(text) }
}

test('default: an error has status, code, message and param', () => {
  expect(answerTo(new RequestError('malformed_id', 'A sentence.', 'pair-id'))).toEqual({
    status: 400,
    retryAfterS: undefined,
    body: {
      status: 0,
      msg: 'A sentence.',
      data: null,
      error: { code: 'malformed_id', param: 'pair-id' },
    },
  })
})

test('behavior: Retry-After is sent if the wait is known', () => {
  const error = new RequestError('rate_limited', 'Slow down.', undefined, { retryAfterS: 7 })
  expect(answerTo(error)).toMatchObject({ status: 429, retryAfterS: 7 })
  const ready = new RequestError('not_ready', 'Not yet.')
  expect(answerTo(ready)).toMatchObject({ status: 503, retryAfterS: 1 })
})

test.each([
  [new StoreUnreachableError({ where: 'there' })],
  [Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })],
  [Object.assign(new Error('shutting down'), { code: '57P01', severity: 'FATAL' })],
  [new Error('Connection terminated unexpectedly')],
  [new Error('timeout exceeded when trying to connect')],
])('behavior: an unreachable database is answered with 503: %s', (error) => {
  expect(answerTo(error)).toMatchObject({
    status: 503,
    retryAfterS: 1,
    body: { error: { code: 'unavailable' } },
  })
})

test.each([
  [new TypeError('x is not a function')],
  [new AppError('SOMETHING', 'Broken.', { retryable: true })],
  [Object.assign(new Error('syntax'), { code: '42601', severity: 'ERROR' })],
])('behavior: other failures are internal errors without details: %s', (error) => {
  const { status, body } = answerTo(error)
  expect([status, body.error.code]).toEqual([500, 'internal'])
  expect(JSON.stringify(body)).not.toContain(error.message)
})

test('behavior: the log has the path and the cause, but never the query, which may hold a key', () => {
  const logger = createLogger('silent')
  const error = vi.spyOn(logger, 'error')
  answerTo(new Error('broken'), logger)
  expect(error).toHaveBeenCalledOnce()
  const line = error.mock.calls[0]![0]
  expect(line).toMatchObject({ method: 'GET', path: '/', err: { message: 'broken' } })
  expect(JSON.stringify(line)).not.toContain('secret')
})
