import { expect, test } from 'vitest'
import { warnIfExposed } from './gatewayPart.ts'

function warningsOf(host: string, proxies: string[] = []) {
  const warnings: unknown[] = []
  const logger = { warn: (warning: unknown) => void warnings.push(warning) }
  const isExposed = warnIfExposed({ host, trusted_proxies: proxies }, 'http://address', logger)
  expect(warnings).toHaveLength(isExposed ? 1 : 0)
  return isExposed
}

test.each([
  '127.0.0.1',
  '127.8.9.1',
  '::1',
  '[::1]',
  '0:0:0:0:0:0:0:1',
  '::ffff:127.0.0.1',
  'localhost',
  'LOCALHOST',
])('default: %s is not exposed', (host) => {
  expect(warningsOf(host)).toBe(false)
})

test.each([
  '0.0.0.0',
  '::',
  '192.168.1.7',
  '10.0.0.1',
  'fe80::1',
  '2001:db8::1',
  '1::',
  'example.com',
  'localhost.example.com',
])('behavior: %s is exposed', (host) => {
  expect(warningsOf(host)).toBe(true)
})

test('behavior: a configured proxy counts as encrypting', () => {
  expect(warningsOf('0.0.0.0', ['10.0.0.0/8'])).toBe(false)
})
