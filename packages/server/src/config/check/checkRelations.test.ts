import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ConfigError } from '../errors.ts'
import { loadConfig } from '../load.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'chaintape-config-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const rpc = [{ http_url: 'http://node.example' }]
const chains = { eth: { rpc } }
const database_url = 'postgres://db.example/x'
const urls = ['nats://one.example:4222']

/** Problems of a configuration with this content. */
function problemsOf(content: object): readonly string[] {
  try {
    const file = join(folder, 'chaintape.json')
    writeFileSync(file, JSON.stringify(content))
    loadConfig({ file, env: {} })
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.problems.map(({ path, message }) => `${path}: ${message}`)
  }
}

test.each(['indexer', 'gateway'])(
  'error: role %s without what it shares with the others',
  (role) => {
    expect(problemsOf({ role })).toEqual([
      `database_url: is needed for role ${role}: all processes of a service share one database`,
      `chains: is needed for role ${role}: the local chain belongs to one process`,
    ])
    expect(problemsOf({ role, database_url, chains })).toEqual([])
    expect(problemsOf({ role, database_url, chains, nats: { urls } })).toEqual([])
  },
)

test('error: a role that there is not', () => {
  expect(problemsOf({ role: 'gatway', database_url, chains })[0]).toContain('role: ')
})

test('error: a replica is one server, of a database that is named', () => {
  const database_read_url = 'postgres://replica/tape'
  expect(problemsOf({ database_url, database_read_url })).toEqual([])
  expect(problemsOf({ database_read_url })).toEqual([
    'database_read_url: requires database_url, the primary of this replica',
  ])
  const several = 'postgres://one,two/tape'
  expect(problemsOf({ database_url, database_read_url: several })).toEqual([
    'database_read_url: names several servers, and each has its own lag: give each gateway one of them',
  ])
})

test('error: an address of several database servers names each of them', () => {
  const several = 'postgres://u:secret@one:5432,two:5433/tape'
  expect(problemsOf({ database_url: several })).toEqual([])
  expect(problemsOf({ database_url: several.replace('two:5433', '') })).toEqual([
    'database_url: names no host between two commas (host 2 of 2)',
  ])
  expect(problemsOf({ database_url: several.replace('5433', '543210') })).toEqual([
    'database_url: has "543210" where a port belongs, 1 to 65535 (host 2 of 2)',
  ])
})

test('error: settings of NATS that are of no use without others', () => {
  expect(problemsOf({ nats: { urls } })).toEqual(['nats.urls: requires database_url'])
  const asked = (nats: object) => problemsOf({ database_url, chains, nats: { urls, ...nats } })
  expect(asked({ password: 'secret' })).toEqual(['nats.password: requires nats.user'])
  expect(asked({ user: 'tape', password: 'secret' })).toEqual([])
  const both = ['nats.cert_file: requires nats.key_file, and vice versa']
  expect(asked({ cert_file: 'a.pem' })).toEqual(both)
  expect(asked({ key_file: 'a.key' })).toEqual(both)
  expect(asked({ cert_file: 'a.pem', key_file: 'a.key', ca_file: 'ca.pem' })).toEqual([])
})

test('error: what is no address of NATS', () => {
  expect(asked('http://one.example')).toEqual(['nats.urls[0]: must be nats:// or tls:// address'])
  expect(asked('tls://one.example:4222')).toEqual([])

  function asked(url: string) {
    return problemsOf({ database_url, chains, nats: { urls: [url] } })
  }
})
