import { expect, test } from 'vitest'
import { collectGarbage } from '../../../../../test/support/collectGarbage.ts'
import { PlainExchange } from './plainExchange.ts'

function createExchange(body: Uint8Array): PlainExchange {
  const head = { method: 'POST', target: '/', apiKey: undefined, bodyBytes: 0, endAt: 0 } as const
  return new PlainExchange({ answer: () => undefined }, head, body)
}

test('default', () => {
  const read: unknown[] = []
  createExchange(Buffer.from('abc')).readBody(3, (fault, bytes) => read.push(fault, bytes))
  expect(read).toEqual([null, Buffer.from('abc')])
})

test('error: a body that is too long', () => {
  const read: unknown[] = []
  createExchange(Buffer.from('abc')).readBody(2, (fault, bytes) => read.push(fault?.message, bytes))
  expect(read).toEqual(['The request body is over the size limit.', null])
})

test('behavior: holds on to no body that was read', async () => {
  const readOne = () => {
    const body = Buffer.alloc(16)
    const exchange = createExchange(body)
    exchange.readBody(16, () => undefined)
    return { exchange, body: new WeakRef(body) }
  }
  const { exchange, body } = readOne()
  await collectGarbage()
  expect(body.deref()).toBe(undefined)
  expect(exchange.method).toBe('POST')
})
