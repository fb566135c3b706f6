import { expect, test } from 'vitest'
import { loadConfig } from '../load.ts'
import { unencryptedSettingsOf } from './likelyMistakes.ts'

/** Unencrypted connections, as "path host". */
function linesOf(config: { database_url?: string; database_read_url?: string; nats?: object }) {
  const nats = { ...loadConfig({ env: {} }).config.nats, ...config.nats }
  return unencryptedSettingsOf({ ...config, nats }).map(({ path, host }) => `${path} ${host}`)
}

test.each([
  'postgres://u:p@127.0.0.1/tape',
  'postgres://u:p@localhost:5433/tape?sslmode=disable',
  'postgres://u:p@[::1]/tape',
  'postgres:///tape',
  'postgres://u@/tape?host=/run/postgresql',
  'postgres://u@localhost/tape?host=%2Ftmp%2Fsocket',
  'postgres://u:p@db1/tape?sslmode=require',
  'postgres://u:p@db1,db2/tape?sslmode=verify-ca',
  'postgres://u:p@db1/tape?sslmode=verify-full&application_name=x',
  'postgres://u:p@db1/tape?sslmode=no-verify',
  'postgres://u:p@db1/tape?ssl=true',
])('default: %s stays on this machine or is encrypted', (database_url) => {
  expect(linesOf({ database_url })).toEqual([])
  expect(linesOf({ database_url, database_read_url: database_url })).toEqual([])
})

test.each([
  ['postgres://u:p@db1/tape', ['db1']],
  ['postgres://u:p@10.0.0.5:5432/tape?sslmode=prefer', ['10.0.0.5']],
  ['postgres://u:p@db1/tape?sslmode=disable', ['db1']],
  ['postgres://u:p@db1/tape?ssl=false', ['db1']],
  ['postgres://u:p@localhost,db2:5433/tape', ['db2']],
  ['postgres://u:p@/tape?host=10.0.0.5', ['10.0.0.5']],
  ['postgres://u@localhost/tape?host=/run/a,db2', ['db2']],
  ['postgresql://localhost.example.com/tape', ['localhost.example.com']],
])('behavior: %s is in the clear', (url, hosts) => {
  expect(linesOf({ database_url: url })).toEqual(hosts.map((host) => `database_url ${host}`))
  expect(linesOf({ database_read_url: url })).toEqual(
    hosts.map((host) => `database_read_url ${host}`),
  )
})

test('behavior: servers of NATS', () => {
  const here = 'nats://127.0.0.1:4222'
  expect(linesOf({ nats: { urls: [here, 'nats://localhost:4222'] } })).toEqual([])
  expect(linesOf({ nats: { urls: [here, 'nats://u:p@10.0.0.5:4222'] } })).toEqual([
    'nats.urls[1] 10.0.0.5',
  ])
  expect(linesOf({ nats: { urls: ['tls://10.0.0.5:4222', 'nats://10.0.0.6:4222'] } })).toEqual([])
  expect(linesOf({ nats: { urls: ['nats://10.0.0.5:4222'], ca_file: 'ca.pem' } })).toEqual([])
})

test('behavior: advice names the host and the remedy, and no password', () => {
  const env = {
    CHAINTAPE_DATABASE_URL: 'postgres://tape:a-password@db1/tape',
    CHAINTAPE_NATS_URLS: '["nats://tape:a-password@10.0.0.5:4222"]',
  }
  expect(loadConfig({ env }).advice).toEqual([
    {
      path: 'database_url',
      message: 'sends passwords and data to db1 unencrypted: add ?sslmode=verify-full',
    },
    {
      path: 'nats.urls[0]',
      message: 'sends passwords and data to 10.0.0.5 unencrypted: write tls:// or set nats.ca_file',
    },
  ])
})
