// Notices about keys that a role of the database makes up, which may do nothing but read: the role of docs/sql.md.
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { keyPlansOf } from '../../../packages/server/src/app/keys/keyPlans.ts'
import { openKeyAccess } from '../../../packages/server/src/app/keys/openKeyAccess.ts'
import { loadConfig } from '../../../packages/server/src/config/load.ts'
import type { OpenKeyAccess } from '../../../packages/server/src/gateway/keys/createKeyAccess.ts'
import { createKeyAdmin } from '../../../packages/server/src/gateway/keys/keyAdmin.ts'
import { createMetrics } from '../../../packages/server/src/lib/metrics.ts'
import { openStore, type Store } from '../../../packages/server/src/store/openStore.ts'
import { silentLogger, type TestConnection, withClient } from '../../support/postgres.ts'
import { startTestPostgres, type TestPostgres } from '../../support/testPostgres.ts'
import { until } from '../../support/until.ts'

const page = readFileSync(resolve(import.meta.dirname, '../../../docs/sql.md'), 'utf8')
const [, roleSql] = /```sql\n([\s\S]*?)```/.exec(page)!
// Roles are the server's, which other tests share.
const role = `analyst_${randomBytes(6).toString('hex')}`

const { config } = loadConfig({ env: {} })
const clock = { nowMs: Date.now }
const logger = silentLogger

let postgres: TestPostgres
let connection: TestConnection
let store: Store
const open: OpenKeyAccess[] = []

beforeAll(async () => {
  postgres = await startTestPostgres()
  connection = await postgres.createDatabaseWithTables()
  store = await openStore({ connection, logger })
  await withClient(connection, (client) => client.query(roleSql!.replaceAll('analyst', role)))
})

afterEach(async () => {
  for (const access of open.splice(0)) await access.close()
})

afterAll(async () => {
  await store.close()
  await withClient(connection, (client) => client.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`))
  await postgres.stop()
})

function startAccess(processRole: 'all' | 'gateway'): OpenKeyAccess {
  const options = { store, clock, logger, metrics: createMetrics(), isSeeded: () => true }
  const access = openKeyAccess({ ...config, role: processRole }, options)
  open.push(access)
  return access
}

async function createProKey() {
  const admin = createKeyAdmin({ store, plans: keyPlansOf(config), clock })
  return await admin.create({ name: 'shop', plan: 'pro', expiresInS: null })
}

/**
 * Half an hour of requests, and more sockets than any plan has, by processes that are not there. The session stays until
 * they were heard: it can be looked up.
 */
async function forge(
  { id, accountId }: { id: number; accountId: number },
  untilHeard: () => Promise<void>,
): Promise<void> {
  const notices = Array.from({ length: 20 }, (_, at) =>
    JSON.stringify([`forged ${at}`, 'report', 1, [[accountId, 1_800_000, 1_000]], [[id, 1_000]]]),
  )
  await withClient({ ...connection, user: role }, async (client) => {
    for (const notice of notices)
      await client.query('SELECT pg_notify($1, $2)', ['chaintape_key_notices', notice])
    await untilHeard()
  })
}

async function expectUnharmed(access: OpenKeyAccess, text: string): Promise<void> {
  const holder = await access.identify(text)
  for (let request = 0; request < 5; request += 1) holder.admit(5, 'pair')
  expect(access.sockets.take(holder, { drop: () => undefined })).toBe(true)
}

test('behavior: a gateway believes other gateways, and no role that only reads', async () => {
  const key = await createProKey()
  const gateway = startAccess('gateway')
  startAccess('gateway')
  await until('the gateways know each other', () => gateway.peerCount() === 2)
  await forge(key, async () => {
    // Notices come in order.
    startAccess('gateway')
    await until('a third is heard of', () => gateway.peerCount() >= 3)
  })
  expect(gateway.peerCount()).toBe(3)
  await expectUnharmed(gateway, key.key)
})

test('behavior: a single process believes no notice', async () => {
  const [key, other] = [await createProKey(), await createProKey()]
  const single = startAccess('all')
  await single.identify(other.key)
  await forge(key, async () => {
    // Also in order: changes of keys come on the same connection.
    await withClient(connection, (client) =>
      client.query('UPDATE keys SET revoked_at_s = 1 WHERE id = $1', [other.id]),
    )
    await until('the key is refused', async () => {
      const refused = async () => single.identify(other.key)
      return await refused().then(
        () => false,
        () => true,
      )
    })
  })
  expect(single.peerCount()).toBe(1)
  await expectUnharmed(single, key.key)
})
