// API keys on a real PostgreSQL: which usage a process may lose, which usage must not be counted
// twice, and how changes reach other processes.
import { spawn } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { seedKeys } from '../../packages/server/src/app/roles/keys.ts'
import { lazyApp } from '../../packages/server/src/cli/context.ts'
import { runCli } from '../../packages/server/src/cli/runCli.ts'
import {
  createKeyAccess,
  type RunningKeyAccess,
} from '../../packages/server/src/gateway/keys/createKeyAccess.ts'
import type { Caller, KeyStore } from '../../packages/server/src/gateway/keys/keyAccess.ts'
import { createKeyAdmin } from '../../packages/server/src/gateway/keys/keyAdmin.ts'
import { creditPeriodAt, dayAt } from '../../packages/server/src/gateway/keys/plan.ts'
import { createMetrics } from '../../packages/server/src/lib/metrics.ts'
import { openStore, type Store } from '../../packages/server/src/store/openStore.ts'
import { testPlans } from '../support/memoryKeyStore.ts'
import { silentLogger, type TestConnection, urlOf, withClient } from '../support/postgres.ts'
import { startTestPostgres, type TestPostgres } from '../support/testPostgres.ts'
import { until } from '../support/until.ts'

let postgres: TestPostgres
let connection: TestConnection
let store: Store
const stores: Store[] = []
const accesses: RunningKeyAccess[] = []
// In the middle of a day and a month, so that no day or credit period ends during a test.
const nowMs = Date.UTC(2026, 4, 17, 12)
const nowS = nowMs / 1_000
const clock = { nowMs: () => nowMs }

beforeAll(async () => {
  postgres = await startTestPostgres()
})

beforeEach(async () => {
  connection = await postgres.createDatabase()
  store = await open()
})

afterEach(async () => {
  for (const access of accesses.splice(0)) await access.close()
  for (const each of stores.splice(0)) await each.close()
})

afterAll(() => postgres.stop())

async function open(): Promise<Store> {
  const opened = await openStore({ connection, logger: silentLogger })
  stores.push(opened)
  return opened
}

/** The key access of one process of the service. Usage is written when the test flushes it. */
function accessOn(keyStore: KeyStore): RunningKeyAccess {
  const access = createKeyAccess({
    store: keyStore,
    plans: testPlans,
    clock,
    logger: silentLogger,
    metrics: createMetrics(),
    limits: {
      keysMax: 100,
      trustMs: 3_600_000,
      lookupMsMax: 10_000,
      lookupsMax: 100,
      flushMs: 3_600_000,
    },
  })
  accesses.push(access)
  return access
}

const adminOn = (each: Store) => createKeyAdmin({ store: each, plans: testPlans, clock })

const create = (plan: string) => adminOn(store).create({ name: 'test', plan, expiresInS: null })

const usedBy = async (accountId: number) => {
  const period = creditPeriodAt(nowMs).number
  return (await store.loadCredits({ accountIds: [accountId], period })).get(accountId)?.cost
}

const usageOf = (accountId: number) =>
  store.loadUsage({ accountId, fromDay: dayAt(nowMs) - 1, toDay: dayAt(nowMs) + 1 })

async function codeOf(work: () => unknown): Promise<string> {
  try {
    await work()
    return 'none'
  } catch (error) {
    return (error as { wireCode: string }).wireCode
  }
}

function admit(holder: Caller, count: number, cost = 5, operation = 'token'): void {
  for (let i = 0; i < count; i += 1) void holder.admit(cost, operation)
}

test('default: usage is durable, and a killed process loses only what it had not written', async () => {
  const { id, accountId, key } = await create('unlimited')
  const first = await accessOn(store).identify(key)
  admit(first, 100)
  first.refund(5, 'token')
  admit(first, 10, 100, 'prices')
  expect(await accesses[0]!.flush()).toBe(true)
  // This usage is never written: the process ends without a flush.
  admit(first, 7)
  accesses.splice(0)

  const next = accessOn(await open())
  const holder = await next.identify(key)
  expect(holder.quota().creditsUsed).toBe(99 * 5 + 1_000)
  admit(holder, 1)
  await next.flush()
  expect(await usedBy(accountId)).toBe(100 * 5 + 1_000)
  const day = dayAt(nowMs)
  expect(await usageOf(accountId)).toEqual([
    { keyId: id, day, operation: 'prices', requestCount: 10, failedCount: 0, cost: 1_000 },
    { keyId: id, day, operation: 'token', requestCount: 101, failedCount: 1, cost: 500 },
  ])
})

const usageProcess = resolve(import.meta.dirname, '../support/usageProcess.mjs')

/**
 * Runs a process that uses the key and kills it when it sends write number `sends`. Returns the
 * last value of each figure it printed.
 */
async function useAndKill(key: string, sends: number): Promise<Record<string, number>> {
  const plan = testPlans.get('unlimited')!
  const [{ startedAt }] = await ask<{ startedAt: string }>('SELECT now()::text AS "startedAt"')
  const child = spawn(
    process.execPath,
    [usageProcess, JSON.stringify({ connection, key, plan, nowMs })],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const said: Record<string, number> = { admitted: 0, written: 0 }
  for await (const line of createInterface({ input: child.stdout })) {
    const [word, value] = line.split(' ')
    said[word!] = Number(value)
    if (word === 'sending' && Number(value) === sends) child.kill('SIGKILL')
  }
  // A statement of the killed process may still run in the database.
  await until('its connections are gone', async () => {
    const [{ count }] = await ask<{ count: number }>(
      `SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database()
         AND application_name LIKE 'chaintape%' AND backend_start > '${startedAt}'`,
    )
    return count === 0
  })
  return said
}

async function ask<row extends object>(sql: string): Promise<[row]> {
  return await withClient(connection, async (client) => (await client.query(sql)).rows as [row])
}

test('behavior: kill -9 during a write loses only unwritten usage, and nothing counts twice', async () => {
  const { accountId, key } = await create('unlimited')
  let stored = 0
  for (const sends of [1, 2, 3, 5, 8]) {
    const said = await useAndKill(key, sends)
    expect(said.before).toBe(stored)
    expect(said.sending).toBeGreaterThanOrEqual(sends)
    const now = (await usedBy(accountId)) ?? 0
    expect(now - stored).toBeGreaterThanOrEqual(said.written!)
    expect(now - stored).toBeLessThanOrEqual(said.admitted!)
    stored = now
  }
  expect(stored).toBeGreaterThan(0)
  const [row] = await usageOf(accountId)
  expect(row).toMatchObject({ requestCount: stored, cost: stored })
})

test('behavior: a write whose answer is lost is repeated and counts once', async () => {
  const { accountId, key } = await create('unlimited')
  let lost = 3
  const lossy: KeyStore = {
    ...store,
    async addUsage(batch) {
      const others = await store.addUsage(batch)
      if (lost === 0) return others
      lost -= 1
      throw new Error('The connection broke before the answer.')
    },
  }
  const access = accessOn(lossy)
  const holder = await access.identify(key)
  admit(holder, 10)
  expect(await access.flush()).toBe(false)
  admit(holder, 1)
  expect(await access.flush()).toBe(false)
  expect(await access.flush()).toBe(false)
  expect(await usedBy(accountId)).toBe(50)
  expect(holder.quota().creditsUsed).toBe(55)
  expect(await access.flush()).toBe(true)
  expect(await access.flush()).toBe(true)
  expect(await usedBy(accountId)).toBe(55)
  expect(holder.quota().creditsUsed).toBe(55)
})

test('behavior: the same batch from several connections at once counts once', async () => {
  const { id, accountId } = await create('unlimited')
  const period = creditPeriodAt(nowMs).number
  const day = dayAt(nowMs)
  const count = { requestCount: 1, failedCount: 0, cost: 5, operation: 'token' }
  const counts = [{ keyId: id, accountId, day, period, ...count }]
  const session = '7a6f1d7e-4f0b-4b53-9a25-5f9d3c1b1c11'
  const others = [await open(), await open(), store]
  for (const sequence of [1, 2, 5])
    await Promise.all(
      others
        .flatMap((each) => [each, each])
        .map((each) => each.addUsage({ session, sequence, counts })),
    )
  // A late write whose sequence number is already surpassed.
  await store.addUsage({ session, sequence: 4, counts })
  expect(await usedBy(accountId)).toBe(15)
})

const sessions = [11, 12, 13].map((last) => `7a6f1d7e-4f0b-4b53-9a25-5f9d3c1b1c${last}`)

/** Makes the database believe that the process last wrote usage `passedS` seconds ago. */
const silence = (session: string, passedS: number) =>
  withClient(connection, (client) =>
    client.query('UPDATE usage_sessions SET written_at_s = written_at_s - $2 WHERE id = $1', [
      session,
      passedS,
    ]),
  )

test('behavior: only processes that wrote recently count, and dead ones are forgotten', async () => {
  const [first, second, third] = sessions as [string, string, string]
  const write = (session: string, sequence: number) =>
    store.addUsage({ session, sequence, counts: [] })
  expect(await write(first, 1)).toBe(0)
  expect(await write(second, 1)).toBe(1)
  expect(await write(third, 1)).toBe(2)
  await silence(second, 60)
  expect(await write(first, 2)).toBe(1)
  expect(await write(second, 2)).toBe(2)
  await silence(third, 1_000)
  await store.dropUsageSessions(900)
  const { rows } = await withClient(connection, (client) =>
    client.query<{ id: string }>('SELECT id FROM usage_sessions ORDER BY id'),
  )
  expect(rows.map(({ id }) => id)).toEqual([first, second])
})

test('behavior: all processes together open at most the key’s maximum of sockets, at once or in turn', async () => {
  const { id: keyId } = await create('free')
  const { id: otherKeyId } = await create('free')
  const others = [await open(), await open(), store]
  const [first, second] = sessions as [string, string]
  const write = (session: string, sequence: number, closed: number) =>
    store.addUsage({
      session,
      sequence,
      counts: [],
      closedSockets: closed === 0 ? [] : [{ keyId, count: closed }],
    })
  for (const session of sessions) await write(session, 1, 0)
  const take = (session: string, key = keyId, each = store) =>
    each.takeSocket({ session, keyId: key, socketsMax: 4 })
  const asked = [0, 1, 2, 0, 1, 2, 0, 1, 2].map((at) => take(sessions[at]!, keyId, others[at]!))
  expect((await Promise.all(asked)).filter((isTaken) => isTaken)).toHaveLength(4)
  expect(await take(first)).toBe(false)
  expect(await take(first, otherKeyId)).toBe(true)
  // One socket closes of a process that has at least two: four sockets are shared by three
  // processes. Repeating the same write must not close another one.
  const [{ session }] = await ask<{ session: string }>(
    `SELECT session FROM key_sockets WHERE key_id = ${keyId} ORDER BY count DESC LIMIT 1`,
  )
  await write(session, 2, 1)
  await write(session, 2, 1)
  expect(await take(second)).toBe(true)
  expect(await take(first)).toBe(false)
  // A process that stopped writing usage loses its sockets.
  await silence(session, 60)
  expect(await take(sessions.find((each) => each !== session)!)).toBe(true)
})

test('behavior: several processes share the credits of a key', async () => {
  const { key } = await create('credits')
  const [mine, theirs] = [accessOn(store), accessOn(await open())]
  const [here, there] = [await mine.identify(key), await theirs.identify(key)]
  admit(here, 10)
  admit(there, 8)
  await Promise.all([mine.flush(), theirs.flush()])
  admit(here, 1)
  admit(there, 1)
  await mine.flush()
  await theirs.flush()
  admit(here, 0)
  void here.admit(0, 'token')
  await mine.flush()
  expect([here.creditsLeft(), there.creditsLeft()]).toEqual([0, 0])
  expect(await codeOf(() => here.admit(5, 'token'))).toBe('credits_exhausted')
})

test('behavior: every change reaches the other processes at once', async () => {
  const other = await open()
  const changedIds: number[] = []
  let isLive = false
  other.watchKeys({
    onChange: (id) => changedIds.push(id),
    onState: (next) => {
      isLive = next
    },
  })
  await until('the watch is live', () => isLive)
  const admin = adminOn(store)
  const { id } = await create('free')
  await admin.expire(id, 1_000)
  const rotated = (await admin.rotate(id, 500))!
  await admin.revoke(id)
  await until('all changes arrive', () => changedIds.length >= 5)
  expect(new Set(changedIds)).toEqual(new Set([id, rotated.id]))
})

test('behavior: a watch whose connection is cut reconnects', async () => {
  const states: boolean[] = []
  const changedIds: number[] = []
  const other = await open()
  other.watchKeys({
    onChange: (id) => changedIds.push(id),
    onState: (isLive) => states.push(isLive),
  })
  await until('the watch is live', () => states.at(-1) === true)
  await withClient(connection, (client) =>
    client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE query LIKE '%pg_notify%' AND pid <> pg_backend_pid() AND datname = current_database()`,
    ),
  )
  await until('it is live again', () => states.length >= 3 && states.at(-1) === true)
  expect(states.slice(0, 3)).toEqual([true, false, true])
  const { id } = await create('free')
  await until('the change arrives', () => changedIds.includes(id))
})

test('behavior: a running service sees keys created, rotated, expired and revoked elsewhere', async () => {
  const admin = adminOn(await open())
  const access = accessOn(store)
  const made = await admin.create({ name: 'app', plan: 'five', expiresInS: null })
  const holder = await access.identify(made.key)
  // Before the watch is active, changes would be noticed only after the cache time, which is an
  // hour here.
  const rotated = (await admin.rotate(made.id, 1_000))!
  expect(rotated).toMatchObject({ accountId: made.accountId, plan: 'five', name: 'app' })
  await until('the grace period is visible', () => holder.key.expiresAtS !== null)
  expect(holder.key.expiresAtS).toBe(nowS + 1_000)
  expect(holder.fault()).toBe(null)

  const successor = await access.identify(rotated.key)
  expect(successor.key.expiresAtS).toBe(null)
  void holder.admit(40, 'token')
  expect(successor.creditsLeft()).toBe(60)

  await admin.expire(made.id, 0)
  await until('the old key expires', () => holder.fault() === 'expired_key')
  expect(await codeOf(() => access.identify(made.key))).toBe('expired_key')
  expect(await admin.rotate(made.id, 0)).toBe(null)
  expect(await admin.expire(made.id, 5)).toBe(null)

  await admin.revoke(rotated.id)
  await until('the new key is revoked', () => successor.fault() === 'invalid_key')
  expect(await codeOf(() => access.identify(rotated.key))).toBe('invalid_key')
  expect(await admin.revoke(rotated.id)).toBe(null)
  expect(await admin.revoke(1_000)).toBe(null)
})

test('behavior: a grace period does not extend a key, and the new key keeps the old expiry', async () => {
  const admin = adminOn(store)
  const made = await admin.create({ name: 'trial', plan: 'free', expiresInS: 100 })
  const rotated = (await admin.rotate(made.id, 5_000))!
  expect(rotated.expiresAtS).toBe(made.expiresAtS)
  const [old] = await store.findKeysById([made.id])
  expect(old!.expiresAtS).toBe(made.expiresAtS)
})

test('behavior: configuring another key, or none, ends the previous one', async () => {
  const access = accessOn(store)
  const seed = (configured: string | undefined, isLocal = false) =>
    seedKeys(store, {
      configured,
      isLocal,
      nowS,
      chains: ['local'],
      limits: { startKeyGraceS: 100, startKeysMax: 3 },
    })
  const byHand = await adminOn(store).create({ name: 'configured', plan: 'free', expiresInS: null })
  await seed('first-of-the-keys')
  const first = await access.identify('first-of-the-keys')
  expect(first.plan.name).toBe('unlimited')
  await seed('second-of-the-keys')
  await until('the first is revoked', () => first.fault() === 'invalid_key')
  const second = await access.identify('second-of-the-keys')
  await seed('first-of-the-keys')
  await until('they change back', () => first.fault() === null && second.fault() !== null)
  expect((await seed(undefined)).apiKey).toBe(null)
  await until('none is left', () => first.fault() === 'invalid_key')
  // The name grants nothing: it is free text.
  expect((await access.identify(byHand.key)).fault()).toBe(null)
})

async function cli(...args: string[]) {
  const out: string[] = []
  const err: string[] = []
  const sink = (lines: string[]) => ({
    write: (text: string) => void lines.push(text),
    isTTY: false,
    columns: 80,
  })
  const code = await runCli(['keys', ...args, '--database-url', urlOf(connection)], {
    version: '0.0.0',
    stdout: sink(out),
    stderr: sink(err),
    writeBytes: async () => {},
    readInput: async () => Buffer.alloc(0),
    ask: null,
    signals: new EventEmitter(),
    exit: () => undefined,
    nowMs: clock.nowMs,
    env: { CHAINTAPE_LOG_LEVEL: 'silent' },
    app: lazyApp,
  })
  return { code, out: out.join(''), err: err.join('') }
}

const cliJson = async (...args: string[]) => JSON.parse((await cli(...args, '--json')).out)

test('behavior: the command line creates and ends keys of a running service', async () => {
  const access = accessOn(store)
  const made = await cliJson('create', '--plan', 'free', '--name', 'shop', '--expires-in', '9000')
  expect(made).toMatchObject({ id: 1, account_id: 1, name: 'shop', plan: 'free', revoked_at: null })
  expect(made.expires_at - made.created_at).toBe(9_000)
  const holder = await access.identify(made.key)
  void holder.admit(5, 'token')
  await access.flush()

  const rotated = await cliJson('rotate', '1', '--grace', '60')
  expect(rotated).toMatchObject({ id: 2, account_id: 1, plan: 'free', replaces: 1 })
  expect((await access.identify(rotated.key)).key.accountId).toBe(1)
  const { keys } = await cliJson('list')
  expect(keys).toMatchObject([
    { id: 1, account_id: 1, period: { requests: 1, credits: 5 } },
    { id: 2, account_id: 1, period: { requests: 0, credits: 0 } },
  ])
  const plain = await cli('list')
  expect(plain.out).toMatch(/^id +account +name +plan +created/)
  expect(plain.out).not.toContain(made.key)

  await until('the grace period is visible', () => holder.key.expiresAtS! < made.expires_at)
  expect(await cliJson('expire', '1')).toMatchObject({ id: 1 })
  await until('the key expires', () => holder.fault() === 'expired_key')
  expect(await cliJson('revoke', '2')).toMatchObject({ id: 2, revoked: true })
  await until(
    'the key is revoked',
    async () => (await codeOf(() => access.identify(rotated.key))) === 'invalid_key',
  )
})

test('error: the command line names the mistake', async () => {
  const unknown = await cli('create', '--plan', 'gold', '--json')
  expect(unknown.code).toBe(1)
  expect(JSON.parse(unknown.err).error).toMatchObject({
    code: 'PLAN_UNKNOWN',
    message: 'There is no plan "gold".',
    meta: [
      'Plans: free, normal, pro, unlimited',
      'More can be configured in plans, see docs/reference/config.md.',
    ],
  })
  for (const args of [
    ['rotate', '9'],
    ['expire', '9'],
    ['revoke', '9'],
  ]) {
    const { code, err } = await cli(...args, '--json')
    expect([code, JSON.parse(err).error.code]).toEqual([1, 'KEY_NOT_FOUND'])
  }
  for (const args of [
    ['create', '--expires-in', '0'],
    ['rotate', 'x'],
    ['expire', '1', '--in', '-1'],
  ])
    expect((await cli(...args)).code).toBe(2)
})
