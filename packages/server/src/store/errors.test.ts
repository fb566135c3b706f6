import assert from 'node:assert/strict'
import pg from 'pg'
import { expect, test } from 'vitest'
import { databaseFault, isDatabaseUnreachable, toStoreError } from './errors.ts'

const faultOf = (error: unknown) => {
  const { code, retryable } = databaseFault(error, 'the database')
  return { code, retryable }
}

function serverError(code: string): Error {
  return Object.assign(new Error('from the server'), { code, severity: 'ERROR' })
}

async function errorOf(work: () => unknown): Promise<unknown> {
  try {
    await work()
  } catch (error) {
    return error
  }
  throw new Error('Nothing was thrown.')
}

test('default: a server that is not there is tried again', async () => {
  const client = new pg.Client({ host: '127.0.0.1', port: 1 })
  const error = await errorOf(() => client.connect())
  expect(faultOf(error)).toEqual({ code: 'STORE_UNREACHABLE', retryable: true })
  expect(isDatabaseUnreachable(error)).toBe(true)
})

test('behavior: what the server says decides', () => {
  for (const [state, code, retryable] of [
    ['57P01', 'STORE_UNREACHABLE', true],
    ['40001', 'STORE_UNREACHABLE', true],
    ['53300', 'STORE_UNREACHABLE', true],
    ['53100', 'STORE_DISK_FULL', false],
    ['XX001', 'STORE_CORRUPT', false],
    ['23505', 'STORE_WRITE_FAILED', false],
  ] as const)
    expect([state, faultOf(serverError(state))]).toEqual([state, { code, retryable }])
})

test('behavior: of all errors only those of the database are told as such', () => {
  expect(toStoreError(serverError('XX001'))).toMatchObject({ code: 'STORE_CORRUPT' })
  const lost = new Error('Connection terminated unexpectedly')
  expect(toStoreError(lost)).toMatchObject({ code: 'STORE_UNREACHABLE', retryable: true })
  const full = databaseFault(serverError('53100'), 'here')
  for (const other of [full, new Error('x'), new TypeError('y'), 'z', null])
    expect(toStoreError(other)).toBe(other)
})

test('behavior: an error of our own is not tried again, and says what it was', async () => {
  const view = new DataView(new ArrayBuffer(1))
  for (const mistake of [
    () => view.setInt32(0, 1),
    () => BigInt(Number.POSITIVE_INFINITY),
    () => BigInt('1.5'),
    () => (null as unknown as string).length,
    () => assert(1 > 2),
  ]) {
    const error = await errorOf(mistake)
    expect(faultOf(error)).toEqual({ code: 'STORE_INTERNAL', retryable: false })
    expect(isDatabaseUnreachable(error)).toBe(false)
    expect(databaseFault(error, '').message).toContain((error as Error).message)
  }
})
