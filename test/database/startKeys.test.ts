// API keys that `chaintape start` creates, in a real PostgreSQL.
import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { seedKeys } from '../../packages/server/src/app/roles/keys.ts'
import { hashApiKey } from '../../packages/server/src/gateway/keys/apiKey.ts'
import { openStore, type Store } from '../../packages/server/src/store/openStore.ts'
import { silentLogger } from '../support/postgres.ts'
import { startTestPostgres, type TestPostgres } from '../support/testPostgres.ts'

const limits = { startKeyGraceS: 100, startKeysMax: 3 }
const nothing = { apiKey: null, keyFrom: 'store', earlierKeysUntilS: null }
let postgres: TestPostgres
let store: Store

beforeAll(async () => {
  postgres = await startTestPostgres()
})

beforeEach(async () => {
  const connection = await postgres.createDatabase()
  store = await openStore({ connection, logger: silentLogger })
})

afterEach(() => store.close())

afterAll(() => postgres.stop())

const seed = (
  configured: string | undefined,
  isLocal: boolean,
  nowS: number,
  chains: readonly string[] = ['local:1'],
) => seedKeys(store, { configured, isLocal, nowS, chains, limits })

/** Starts on the local chain without a key in the config. */
async function start(nowS: number) {
  const { apiKey, earlierKeysUntilS } = await seed(undefined, true, nowS)
  return { key: apiKey!, earlierKeysUntilS }
}

/** Whether each key works at the time given with it. */
async function workAt(...asked: [key: string, nowS: number][]): Promise<boolean[]> {
  const hashes = asked.map(([key]) => hashApiKey(key))
  const found = await store.findKeysByHash({ hashes, period: 0 })
  return asked.map(([, nowS], i) => {
    const key = found.find(({ hash }) => Buffer.compare(hash, hashes[i]!) === 0)
    if (key === undefined || key.revokedAtS !== null) return false
    return key.expiresAtS === null || key.expiresAtS > nowS
  })
}

test('default: the key of a start keeps working for a while after the next start', async () => {
  const first = await start(2)
  expect(first.earlierKeysUntilS).toBe(null)
  const second = await start(10)
  expect(second.earlierKeysUntilS).toBe(110)
  expect(await workAt([first.key, 109], [first.key, 110], [second.key, 1_000_000])).toEqual([
    ...[true, false, true],
  ])
  // A third start does not extend the first start's key.
  const third = await start(50)
  expect(third.earlierKeysUntilS).toBe(150)
  expect(await workAt([first.key, 109], [first.key, 110], [second.key, 149])).toEqual([
    ...[true, false, true],
  ])
})

test('behavior: repeated starts keep at most the maximum of keys, and ended keys are not listed', async () => {
  const keys: string[] = []
  for (let nowS = 1; nowS <= 10; nowS += 1) {
    const { key, earlierKeysUntilS } = await start(nowS)
    expect(earlierKeysUntilS).toBe(nowS === 1 ? null : nowS + 100)
    keys.push(key)
    // The key that was just revoked is still listed.
    expect((await store.listKeys()).length).toBeLessThanOrEqual(limits.startKeysMax + 1)
  }
  const working = await workAt(...keys.map((key): [string, number] => [key, 10]))
  expect(working).toEqual(keys.map((_, i) => i >= 7))
  await start(1_000)
  expect((await store.listKeys()).map(({ createdAtS }) => createdAtS)).toEqual([10, 1_000])
})

test('behavior: ended keys are deleted with their usage, except a key that others were rotated from', async () => {
  await start(1)
  await start(2)
  const [plain, rotated] = await store.listKeys()
  const count = { day: 1, operation: 'token', requestCount: 1, failedCount: 0, cost: 5 }
  await store.addUsage({
    session: randomUUID(),
    sequence: 1,
    counts: [plain!, rotated!].map(({ id }) => {
      return { keyId: id, accountId: id, period: 1, ...count }
    }),
  })
  await store.rotateKey({ id: rotated!.id, hash: hashApiKey('by-hand'), nowS: 3, graceS: 0 })
  await start(1_000)
  await start(1_001)
  expect((await store.listKeys()).map(({ id }) => id)).not.toContain(plain!.id)
  const usage = (accountId: number) => store.loadUsage({ accountId, fromDay: 0, toDay: 2 })
  expect(await usage(plain!.id)).toEqual([])
  expect(await usage(rotated!.id)).toEqual([{ keyId: rotated!.id, ...count }])
  expect(await workAt(['by-hand', 1_001])).toEqual([true])
})

test('behavior: a configured key always works, and keys of earlier starts are unchanged', async () => {
  const { key } = await start(1)
  // A key from the config is not shown again: the user who chose it knows it.
  const chosen = { apiKey: null, keyFrom: 'config', earlierKeysUntilS: null }
  expect(await seed('chosen-by-the-user', true, 2)).toEqual(chosen)
  expect(await seed('chosen-by-the-user', true, 3)).toEqual(chosen)
  const { id, origin, plan } = (await store.listKeys()).at(-1)!
  expect([origin, plan]).toEqual(['configured', 'unlimited'])
  expect(await store.revokeKey(id, 4)).toBe(true)
  await seed('chosen-by-the-user', true, 5)
  expect(await workAt(['chosen-by-the-user', 5], [key, 1_000])).toEqual([true, true])
})

test('behavior: on other chains than the local one no key is created, and keys of starts stop working', async () => {
  expect(await seed(undefined, false, 1)).toEqual(nothing)
  expect(await store.listKeys()).toEqual([])
  const { key } = await start(2)
  await seed('chosen-by-the-user', true, 3)
  expect(await seed(undefined, false, 4)).toEqual(nothing)
  expect(await workAt([key, 4], ['chosen-by-the-user', 4])).toEqual([false, false])
})

test('behavior: services of different chains leave each other’s keys unchanged', async () => {
  const configuredFor = (key: string | undefined, ...chains: string[]) =>
    seed(key, false, 1, chains)
  await configuredFor('key-of-the-first', 'eth', 'bsc')
  await configuredFor('key-of-the-second', 'base')
  const { apiKey } = await seed(undefined, true, 1, ['local:1'])
  const other = await seed(undefined, true, 2, ['local:2'])
  expect(other.earlierKeysUntilS).toBe(null)
  const all = () =>
    workAt(
      ['key-of-the-first', 1_000],
      ['key-of-the-second', 1_000],
      [apiKey!, 1_000],
      [other.apiKey!, 1_000],
    )
  expect(await all()).toEqual([true, true, true, true])
  // One chain fewer in the config, and no key.
  await configuredFor(undefined, 'eth')
  expect(await all()).toEqual([false, true, true, true])
  await configuredFor('another-key', 'base', 'op')
  expect(await all()).toEqual([false, false, true, true])
  expect((await seed(undefined, true, 3, ['local:1'])).earlierKeysUntilS).toBe(103)
  expect(await all()).toEqual([false, false, false, true])
})

test('behavior: a key configured in two services works until both have removed it', async () => {
  await seed('a-key-of-both', false, 1, ['eth'])
  await seed('a-key-of-both', false, 2, ['bsc'])
  await seed('a-key-of-one', false, 3, ['eth'])
  expect(await workAt(['a-key-of-both', 3], ['a-key-of-one', 3])).toEqual([true, true])
  await seed(undefined, false, 4, ['bsc'])
  expect(await workAt(['a-key-of-both', 4], ['a-key-of-one', 4])).toEqual([false, true])
})

test('behavior: keys seeded by an earlier version belong to the service that starts next', async () => {
  for (const origin of ['configured', 'start'] as const)
    await store.insertKey({
      hash: hashApiKey(`an-old-key-${origin}`),
      name: origin,
      plan: 'unlimited',
      origin,
      createdAtS: 1,
      expiresAtS: null,
    })
  expect((await seed(undefined, true, 10)).earlierKeysUntilS).toBe(110)
  expect(await workAt(['an-old-key-configured', 10], ['an-old-key-start', 10])).toEqual([
    ...[false, true],
  ])
})
