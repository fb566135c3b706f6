// A database of several servers: the service follows the writable one. Real servers are killed and
// promoted.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { clientConfigOf } from '../../packages/server/src/store/connection.ts'
import { StoreUnreachableError } from '../../packages/server/src/store/errors.ts'
import { createStore, openStore, type Store } from '../../packages/server/src/store/openStore.ts'
import { connectionToPrimary, StoreClient } from '../../packages/server/src/store/storeClient.ts'
import { silentLogger } from '../support/postgres.ts'
import {
  type ReplicatedPostgres,
  startReplicatedPostgres,
  urlOfServers,
} from '../support/replica.ts'
import { until } from '../support/until.ts'

let postgres: ReplicatedPostgres
let store: Store

beforeAll(async () => {
  postgres = await startReplicatedPostgres()
})

afterAll(async () => {
  await store?.close()
  await postgres?.stop()
})

async function serverOf(databaseUrl: string): Promise<string> {
  const client = new StoreClient(clientConfigOf({ databaseUrl }, 'test'))
  client.on('error', () => undefined)
  await client.connect()
  await client.end()
  return client.host
}

test('default: the writable server is found in any order of the URL', async () => {
  const { primary, replica, url } = postgres
  const turned = urlOfServers([replica.connection, primary.connection])
  expect(await serverOf(url)).toBe(primary.connection.host)
  expect(await serverOf(turned)).toBe(primary.connection.host)
  const one = await connectionToPrimary({ databaseUrl: turned })
  expect(await serverOf((one as { databaseUrl: string }).databaseUrl)).toBe(primary.connection.host)
})

test('behavior: the store follows the promoted server and ignores the old one when it returns', async () => {
  const { primary, replica, url } = postgres
  store = await openStore({ connection: { databaseUrl: url }, logger: silentLogger })
  const chainId = await store.ensureChain('eth')
  const copy = createStore({ connection: replica.connection, logger: silentLogger })
  await until(
    'the replica has it',
    async () => (await copy.findChain('eth').catch(() => null)) === chainId,
  )
  await copy.close()

  await primary.kill()
  const error = await store.ensureChain('base').catch((fault: unknown) => fault)
  expect(error).toBeInstanceOf(Error)
  const fresh = await serverOf(url).catch((fault: unknown) => fault)
  expect(fresh).toBeInstanceOf(StoreUnreachableError)
  expect((fresh as Error).message).toContain('No server takes writes.')
  expect((fresh as Error).message).toContain(`${replica.connection.host}: only reads`)

  await replica.promote()
  expect(await store.findChain('eth')).toBe(chainId)
  const added = await store.ensureChain('base')
  await primary.start()
  // Both servers accept writes now; the one that was promoted last must be chosen.
  for (let times = 0; times < 4; times += 1)
    expect(await serverOf(url)).toBe(replica.connection.host)
  expect(await store.findChain('base')).toBe(added)
})

test('error: if all servers refuse the user, the reason is reported without the name', async () => {
  const wrong = postgres.url.replace('postgres://', 'postgres://nobody.')
  await expect(serverOf(wrong)).rejects.toThrow(/role "<hidden>" does not exist/)
})
