// Sessions of the store on a server that ends them, or that never answers.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { clientConfigOf } from '../../packages/server/src/store/connection.ts'
import { dropChain } from '../../packages/server/src/store/dropChain.ts'
import type { Store } from '../../packages/server/src/store/openStore.ts'
import { connectionToPrimary, StoreClient } from '../../packages/server/src/store/storeClient.ts'
import { type TestConnection, withClient } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { useStore } from '../support/useStore.ts'

let connection: TestConnection
let store: Store
let chainId: number

const openWriter = useStore((opened) => {
  ;({ connection, store, chainId } = opened)
})

/** Ends the sessions with this name; returns how many there were. */
const endSessions = (name: string) =>
  withClient(connection, async (client) => {
    const { rows } = await client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE application_name = $1 AND datname = current_database()`,
      [name],
    )
    return rows.length
  })

test('a chain whose deletion loses its session stays, and the next deletion finishes', async () => {
  const writer = await openWriter()
  await writer.close()
  await withClient(connection, async (client) => {
    await client.query('BEGIN')
    await client.query('SELECT FROM swaps')
    const dropping = store.dropChain(chainId, { limits: { lockWaitMs: 60_000 } })
    const failed = expect(dropping).rejects.toMatchObject({ retryable: true })
    await until('the deletion waits for the reader', async () => {
      const { rows } = await client.query('SELECT FROM pg_locks WHERE NOT granted')
      return rows.length > 0
    })
    expect(await endSessions('chaintape drop')).toBe(1)
    await failed
    await client.query('COMMIT')
  })
  expect(await store.findChain('local')).toBe(chainId)
  expect(await store.dropChain(chainId)).toBe(true)
  expect(await store.findChain('local')).toBe(null)
  await until('its session is closed', async () => (await endSessions('chaintape drop')) === 0)
})

/** Passes connections on to the server, until they are reset. */
async function startProxy(): Promise<{ port: number; reset(): void }> {
  const sockets = new Set<Socket>()
  const path = join(connection.host, `.s.PGSQL.${connection.port}`)
  const server = createServer((socket) => {
    const inner = connect({ path })
    for (const one of [socket, inner]) one.on('error', () => undefined)
    sockets.add(socket)
    socket.pipe(inner).pipe(socket)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const reset = () => {
    for (const socket of sockets) socket.resetAndDestroy()
  }
  onTestFinished(() => {
    reset()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, reset }
}

test('a deletion whose connection is reset fails, and nothing else does', async () => {
  const writer = await openWriter()
  await writer.close()
  const { port, reset } = await startProxy()
  await withClient(connection, async (client) => {
    await client.query('BEGIN')
    await client.query('SELECT FROM swaps')
    const limits = { lockWaitMs: 60_000 }
    const far = { ...connection, host: '127.0.0.1', port }
    // A connection that breaks during a statement is also an event, which ends the process where
    // nobody listens.
    const failed = expect(dropChain({ connection: far, chainId, limits })).rejects.toMatchObject({
      retryable: true,
    })
    await until('the deletion waits for the reader', async () => {
      const { rows } = await client.query('SELECT FROM pg_locks WHERE NOT granted')
      return rows.length > 0
    })
    reset()
    await failed
    await endSessions('chaintape drop')
    await client.query('COMMIT')
  })
  expect(await store.findChain('local')).toBe(chainId)
})

test('a session that ends between two statements fails the next one, and the pool goes on', async () => {
  const client = new StoreClient(clientConfigOf(connection, 'chaintape cut'))
  const ended = new Promise((resolve) => client.on('error', resolve))
  await client.connect()
  expect(await endSessions('chaintape cut')).toBe(1)
  await ended
  await expect(client.query('SELECT 1')).rejects.toThrow()
  await client.end().catch(() => undefined)
  expect(await store.findChain('local')).toBe(chainId)
})

/** A server that accepts connections and never answers. */
async function startSilent(): Promise<{ port: number; sockets: Set<Socket> }> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, sockets }
}

test('of several servers one that never answers delays nothing for longer than a second or two', async () => {
  const { port } = await startSilent()
  const { host, port: ownPort, user, database } = connection
  const servers = [
    [host, ownPort],
    ['127.0.0.1', port],
  ] as const
  for (const order of [servers, servers.toReversed()]) {
    const hosts = order.map(([name]) => encodeURIComponent(name)).join(',')
    const ports = order.map(([, one]) => one).join(',')
    const databaseUrl = `postgres://${user}@localhost/${database}?host=${hosts}&port=${ports}`
    const startedMs = performance.now()
    const client = new StoreClient(clientConfigOf({ databaseUrl }, 'test'))
    client.on('error', () => undefined)
    await client.connect()
    expect(client.host).toBe(host)
    await client.end()
    expect(performance.now() - startedMs).toBeLessThan(6_000)
  }
})

test('a single server is used as it is named, and where none answers all are named', async () => {
  const databaseUrl = `postgres://user:secret@127.0.0.1:1/market`
  expect(await connectionToPrimary({ databaseUrl })).toEqual({ databaseUrl })
  expect(await connectionToPrimary(connection)).toBe(connection)
  const client = new StoreClient(
    clientConfigOf(
      { databaseUrl: 'postgres://user:secret@127.0.0.1:1,localhost:2/market' },
      'test',
    ),
  )
  const fault = await client.connect().catch((error: unknown) => error)
  expect(fault).toMatchObject({ code: 'STORE_UNREACHABLE', retryable: true })
  expect(String((fault as Error).message)).toMatch(/127\.0\.0\.1:1.*localhost:2/)
  expect(JSON.stringify(fault)).not.toContain('secret')
})
