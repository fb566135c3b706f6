import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { natsFault } from './natsServer.ts'

test('behavior: what a server quotes of an address, a password and a token is hidden', () => {
  const options = {
    urls: ['nats://Somebody:their%20word@127.0.0.1:4222'],
    password: 'a-word',
    token: 'a-token',
    streamBytesMax: 1,
    prefix: 'test',
  }
  const cause = new RangeError('Refused Somebody:their%20word (their word) with a-word, a-token')
  const error = natsFault(cause, { options })
  expect(error).toMatchObject({
    code: 'NATS_UNAVAILABLE',
    reason: 'Refused <hidden>:<hidden> (<hidden>) with <hidden>, <hidden>',
  })
  expect(inspect(error, { depth: 9 })).not.toMatch(/Somebody|their|a-word|a-token/)
})
