import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { remoteReason } from './request.ts'

function doubtOf(
  remoteAddress: string | undefined,
  headers: Record<string, string> = {},
  { localAddress = '127.0.0.1', httpVersion = '1.1' } = {},
): string | null {
  const socket = { remoteAddress, localAddress }
  return remoteReason({ headers, httpVersion, socket } as unknown as IncomingMessage)
}

test.each(['127.0.0.1', '127.9.8.7', '::1', '::ffff:127.0.0.1'])(
  'default: %s is this machine',
  (address) => {
    expect(doubtOf(address)).toBe(null)
  },
)

test.each(['10.0.0.1', '128.0.0.1', '::2', '::ffff:10.0.0.1', 'localhost', '', undefined])(
  'error: %s is another machine',
  (address) => {
    expect(doubtOf(address)).toContain('another machine')
    expect(doubtOf(address, { 'x-forwarded-for': '127.0.0.1', host: 'localhost' })).toContain(
      'another machine',
    )
  },
)

test('error: a client that reached another address of this machine is remote', () => {
  expect(doubtOf('127.0.0.1', {}, { localAddress: '10.0.0.1' })).toContain('another machine')
})

test.each([
  [{ 'x-forwarded-for': '127.0.0.1' }],
  [{ 'x-forwarded-for': '' }],
  [{ 'x-forwarded-proto': 'https' }],
  [{ forwarded: 'for=127.0.0.1' }],
  [{ 'x-real-ip': '127.0.0.1' }],
  [{ via: '1.1 a' }],
])('error: %o counts as sent by a proxy', (headers) => {
  expect(doubtOf('127.0.0.1', headers)).toContain('proxy')
})

test('error: HTTP/1.0 counts as sent by a proxy', () => {
  expect(doubtOf('127.0.0.1', {}, { httpVersion: '1.0' })).toContain('proxy')
})
