// The database and NATS accounts of docs/operate/cluster.md as published: a gateway serves with
// them, and cannot write the market or its log.
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { storedTables } from '../../../packages/server/src/store/backup/format.ts'
import { sqlState } from '../../../packages/server/src/store/errors.ts'
import { type DevNode, startDevNode } from '../../support/devNode.ts'
import { type NatsServers, startNatsServers } from '../../support/natsServers.ts'
import { type TestConnection, urlOf, withClient } from '../../support/postgres.ts'
import { testApiKey, writeChainConfig } from '../../support/program.ts'
import { type Service, startService } from '../../support/service.ts'
import { startTestPostgres, type TestPostgres } from '../../support/testPostgres.ts'
import { until } from '../../support/until.ts'

const page = readFileSync(resolve(import.meta.dirname, '../../../docs/operate/cluster.md'), 'utf8')
const roleSql = /```sql\n([\s\S]*?)```/.exec(page)![1]!
const authorization = /```\n# nats.conf[\s\S]*?(authorization \{[\s\S]*?\n\})\n```/.exec(page)![1]!
const passwords = { indexer: 'change me', gateway: 'change me, too' }
// Roles belong to the server, which other tests share, so the name is random.
const role = `gateway_${randomBytes(6).toString('hex')}`
const adminKey = 'an-admin-key-for-tests'

let node: DevNode
let nats: NatsServers
let postgres: TestPostgres
let owner: TestConnection
let asRole: TestConnection
let indexer: Service
let gateway: Service

async function startRole(name: 'indexer' | 'gateway', connection: TestConnection) {
  const settings = {
    role: name,
    database_url: urlOf(connection),
    admin_key: adminKey,
    nats: { urls: nats.urls, user: name, password: passwords[name] },
    log: { level: 'warn' },
  }
  const file = await writeChainConfig(postgres.dataDir, node, { settings })
  const own = join(postgres.dataDir, `${name}.json`)
  await writeFile(own, await readFile(file))
  return await startService(postgres.dataDir, own)
}

beforeAll(async () => {
  node = await startDevNode({ market: true, seed: 'accounts' })
  for (let block = 0; block < 10; block += 1) await node.mineMarket()
  postgres = await startTestPostgres()
  owner = await postgres.createDatabase()
  asRole = { ...owner, user: role }
  const conf = join(postgres.dataDir, 'nats.conf')
  await writeFile(conf, authorization)
  nats = await startNatsServers(1, ['-c', conf])
  indexer = await startRole('indexer', owner)
  await withClient(owner, (client) => client.query(roleSql.replace(/\bgateway\b/g, role)))
  gateway = await startRole('gateway', asRole)
})

afterAll(async () => {
  await gateway?.kill()
  await indexer?.kill()
  await withClient(owner, (client) => client.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`))
  await nats?.stop()
  await postgres?.stop()
  await node?.stop()
})

const admin = (path: string, body: object = {}) =>
  fetch(`${gateway.ready.address}/admin/keys${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'X-ADMIN-KEY': adminKey },
    body: JSON.stringify(body),
  })

async function untilAtHead() {
  const { number } = await node.readHead()
  await until('the gateway is at the head', async () => {
    const { head_block, persisted_block } = await gateway.chainHealth()
    return head_block === number && persisted_block === number
  })
}

test('default: a gateway serves, keeps keys and usage, and follows the log', async () => {
  await untilAtHead()
  const created = await admin('', { plan: 'unlimited', name: 'shop' })
  expect(created.status).toBe(201)
  const { id, key } = (await created.json()) as { id: number; key: string }
  const get = async (path: string) => {
    const response = await gateway.get(path, key)
    expect(response.status, path).toBe(200)
    return await response.json()
  }
  const main = (await get('/v2/tokens/main?chain=local')) as { token: string }[]
  const { token } = main[0]!
  const { data } = (await get(`/v2/tokens/${token}-local`)) as {
    data: { pairs: { pair: string }[] }
  }
  const pair = data.pairs[0]!.pair
  const wallet = '0x0000000000000000000000000000000000000001'
  for (const path of [
    `/v2/pairs/${pair}-local`,
    `/v2/klines/pair/${pair}-local?interval=1&limit=10`,
    `/v2/klines/token/${token}-local?interval=1&limit=10`,
    `/v2/txs/${pair}-local?limit=10`,
    `/v2/txs/liq/${pair}-local?limit=10`,
    `/v2/tokens/holders/${token}-local`,
    `/v2/tokens/top100/${token}-local`,
    `/v2/address/walletinfo?chain=local&wallet_address=${wallet}`,
    `/v2/address/walletinfo/tokens?chain=local&wallet_address=${wallet}`,
    `/v2/address/pnl?chain=local&wallet_address=${wallet}&token_address=${token}`,
    `/v2/address/tx?chain=local&wallet_address=${wallet}`,
    '/v2/address/smart_wallet/list?chain=local',
    '/v2/pairs/new?chain=local',
    `/v2/contracts/${token}-local`,
  ])
    await get(path)
  const counted = async (sql: string) =>
    await withClient(owner, async (client) => Number((await client.query(sql)).rows[0].count))
  await until('usage is written', async () => {
    return (
      (await counted(`SELECT sum(request_count) AS count FROM usage WHERE key_id = ${id}`)) > 15
    )
  })
  await until(
    'a report is shared',
    async () => (await counted('SELECT count(*) FROM risk_reports')) > 0,
  )
  await until('it printed its progress', async () => {
    return (await counted(`SELECT count(*) FROM log_consumers WHERE consumer ~ '^gateway'`)) > 0
  })
  expect((await admin(`/${id}/rotate`, { grace: 60 })).status).toBe(201)
  expect((await admin(`/${id}/revoke`)).status).toBe(200)
  await until(
    'the key is refused',
    async () => (await gateway.get('/v2/usage', key)).status === 401,
  )
  await node.mineMarket()
  await untilAtHead()
  expect((await gateway.get('/v2/tokens/main?chain=local', testApiKey)).status).toBe(200)
  expect(gateway.stderr()).not.toMatch(/permission|42501|violation/i)
})

test('behavior: a gateway’s database role writes no table of the market', async () => {
  const denied = '42501'
  const stateOf = (sql: string) =>
    withClient(asRole, (client) =>
      client.query(`BEGIN; ${sql}; ROLLBACK`).then(
        () => null,
        (error: unknown) => sqlState(error),
      ),
    )
  const own = [
    'usage',
    'credits',
    'usage_sessions',
    'key_sockets',
    'log_consumers',
    'risk_reports',
    'keys',
  ]
  for (const table of [...storedTables, 'schema_versions'].filter((name) => !own.includes(name)))
    for (const sql of [
      `INSERT INTO ${table} OVERRIDING SYSTEM VALUE SELECT * FROM ${table}`,
      `DELETE FROM ${table}`,
    ])
      expect([sql, await stateOf(sql)]).toEqual([sql, denied])
  for (const sql of [
    ...['UPDATE tokens SET decimals = 0', 'UPDATE cursors SET seq = 0', 'TRUNCATE log'],
    ...['DELETE FROM keys', 'DELETE FROM usage', 'DELETE FROM log_consumers'],
    ...['CREATE TABLE mine (a int)', 'DROP TABLE swaps', 'ALTER TABLE log DISABLE TRIGGER ALL'],
  ])
    expect([sql, await stateOf(sql)]).toEqual([sql, denied])
})

test('behavior: a gateway’s NATS user neither adds to the log nor deletes from it', async () => {
  const servers = nats.urls[0]!
  const user = { user: 'gateway', pass: passwords.gateway }
  const connection = await connect({ servers, ...user, noAsyncTraces: true })
  const manager = await jetstreamManager(connection, { timeout: 1_000, checkAPI: false })
  const { state } = await manager.streams.info('chaintape_1')
  const refusals: string[] = []
  void (async () => {
    for await (const { type, error } of connection.status() as AsyncIterable<{
      type: string
      error?: Error
    }>)
      if (type === 'error') refusals.push(String(error?.message))
  })()
  connection.publish('chaintape.log.1', 'an entry')
  await expect(manager.streams.purge('chaintape_1')).rejects.toThrow(/permission|timeout/i)
  await expect(manager.streams.delete('chaintape_1')).rejects.toThrow(/permission|timeout/i)
  await expect(
    manager.streams.add({ name: 'mine', subjects: ['chaintape.log.9'] }),
  ).rejects.toThrow(/permission|timeout/i)
  await until('the server refused', () =>
    refusals.some((text) => /Permissions Violation for Publish to "chaintape.log.1"/i.test(text)),
  )
  const after = await manager.streams.info('chaintape_1')
  expect(after.state.first_seq).toBe(state.first_seq)
  expect(after.state.last_seq).toBeGreaterThanOrEqual(state.last_seq)
  await connection.close()
})
