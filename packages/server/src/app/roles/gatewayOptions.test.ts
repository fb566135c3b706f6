import { expect, test } from 'vitest'
import { loadConfig } from '../../config/load.ts'
import type { Config } from '../../config/schema/schema.ts'
import { printsTerminalUrl } from './gatewayOptions.ts'

const { config } = loadConfig({ env: {} })
const given = (server: Partial<Config['server']>, role: Config['role'] = 'all') =>
  printsTerminalUrl({ role, server: { ...config.server, ...server } })

test('default: prints the terminal URL for a service on loopback', () => {
  expect(given({})).toBe(true)
  expect(given({ host: 'localhost' })).toBe(true)
  expect(given({ host: '::1' })).toBe(true)
  expect(given({ metrics_port: 1, admin_port: 2 })).toBe(true)
  expect(given({}, 'gateway')).toBe(true)
})

test.each<Partial<Config['server']>>([
  { browser_keys: false },
  { host: '0.0.0.0' },
  { host: '::' },
  { host: '192.0.2.1' },
  { host: 'market.example' },
  { trusted_proxies: ['127.0.0.1'] },
  { metrics_port: 1, metrics_host: '0.0.0.0' },
  { admin_port: 1, admin_host: '0.0.0.0' },
])('behavior: prints no terminal URL with %o', (server) => {
  expect(given(server)).toBe(false)
})

test('behavior: prints no terminal URL for an indexer', () => {
  expect(given({}, 'indexer')).toBe(false)
})
