// Starts that fail beside a running service must leave no trace.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'
import WebSocket from 'ws'
import { readVersion } from '../../packages/server/src/store/schema.ts'
import { type IndexedNode, startIndexedNode } from '../support/indexedNode.ts'
import {
  createDataDir,
  dumpTables,
  removeDataDir,
  type TestConnection,
  urlOf,
  withClient,
} from '../support/postgres.ts'
import { runProgram, startPatientProgram, writeChainConfig } from '../support/program.ts'
import { type Service, startService } from '../support/service.ts'
import { privateConnectionOf } from '../support/storedMarket.ts'
import { startTestPostgres, type TestPostgres } from '../support/testPostgres.ts'

let market: IndexedNode
let postgres: TestPostgres
let services: Service[] = []

beforeAll(async () => {
  postgres = await startTestPostgres()
  market = await startIndexedNode({ seed: 'second start', blocks: 5 })
})

afterEach(async () => {
  for (const service of services) await service.kill()
  services = []
})

afterAll(async () => {
  await market.stop()
  await postgres.stop()
})

/** Error code of a start that fails. */
async function failedStart(...args: string[]): Promise<string> {
  const program = runProgram(['start', '--json', ...args])
  expect(await program.ended).toBe(1)
  expect(program.stdout()).toBe('')
  return JSON.parse(program.stderr().trim().split('\n').at(-1)!).error.code
}

const dumpKeys = (connection: TestConnection) =>
  dumpTables(connection, ['keys', 'key_seeds', 'chains', 'schema_versions', 'usage_sessions'])

test('error: a second start on the local chain revokes nothing, creates nothing and disconnects nobody', async () => {
  const dataDir = await createDataDir()
  onTestFinished(() => removeDataDir(dataDir))
  const program = await startPatientProgram(dataDir, { devnet: { history_s: 60 } })
  onTestFinished(async () => {
    program.child.kill('SIGKILL')
    await program.ended
  })
  const { address, api_key: key, devnet_rpc_url: rpcUrl } = program.ready
  const socket = new WebSocket(`${address.replace('http', 'ws')}/ws`, {
    headers: { 'x-api-key': key },
  })
  const closes: number[] = []
  socket.on('close', (code) => closes.push(code))
  await new Promise((resolve) => socket.once('open', resolve))
  const connection = await privateConnectionOf(dataDir)
  const before = await dumpKeys(connection)
  const saved = await readFile(join(dataDir, 'devnet', 'served.json'), 'utf8')

  const ports = { port: new URL(address).port, devnetPort: new URL(rpcUrl).port }
  const startOn = (port: string, devnetPort: string) =>
    failedStart('--data-dir', dataDir, '--port', port, '--devnet-port', devnetPort)
  expect(await startOn(ports.port, ports.devnetPort)).toBe('LISTEN_FAILED')
  expect(await startOn('0', ports.devnetPort)).toBe('STORE_WRITER_LOCKED')
  expect(await startOn('0', '0')).toBe('STORE_WRITER_LOCKED')

  const answer = await fetch(`${address}/v2/usage`, { headers: { 'x-api-key': key } })
  expect(answer.status).toBe(200)
  expect(await dumpKeys(connection)).toMatchObject({
    keys: before.keys,
    key_seeds: before.key_seeds,
    chains: before.chains,
  })
  expect(await readFile(join(dataDir, 'devnet', 'served.json'), 'utf8')).toBe(saved)
  expect(closes).toEqual([])
  socket.terminate()
})

/** Writes a config for a chain with this name and API key, on the shared node. */
async function configOf(chain: string, apiKey: string | undefined) {
  const dataDir = await createDataDir()
  onTestFinished(() => removeDataDir(dataDir))
  const profile = { ...market.node.profile, name: chain }
  const node = { rpcUrl: market.node.rpcUrl, profile }
  return {
    dataDir,
    config: await writeChainConfig(dataDir, node, { settings: { api_key: apiKey } }),
  }
}

async function startOn(
  connection: TestConnection,
  chain: string,
  apiKey: string,
): Promise<Service> {
  const { dataDir, config } = await configOf(chain, apiKey)
  const service = await startService(dataDir, config, ['--database-url', urlOf(connection)])
  services.push(service)
  return service
}

test("behavior: services of different chains on one database keep their keys through each other's starts", async () => {
  const connection = await postgres.createDatabase()
  const first = await startOn(connection, 'first', 'the-key-of-the-first')
  const second = await startOn(connection, 'second', 'the-key-of-the-second')
  const statusOf = async (service: Service, key: string) =>
    (await service.get('/v2/usage', key)).status
  expect(await statusOf(first, 'the-key-of-the-first')).toBe(200)
  expect(await statusOf(second, 'the-key-of-the-second')).toBe(200)

  const before = await dumpKeys(connection)
  const { config } = await configOf('first', 'the-key-of-a-third')
  const args = ['--config', config, '--port', '0', '--database-url', urlOf(connection)]
  expect(await failedStart(...args)).toBe('STORE_WRITER_LOCKED')
  expect(await dumpKeys(connection)).toMatchObject({ keys: before.keys, chains: before.chains })

  expect(await first.stop()).toBe(0)
  const again = await startOn(connection, 'first', 'another-key-of-the-first')
  expect(await statusOf(again, 'the-key-of-the-first')).toBe(401)
  expect(await statusOf(again, 'another-key-of-the-first')).toBe(200)
  expect(await statusOf(again, 'the-key-of-the-second')).toBe(200)
})

test('error: a start that another service prevents does not migrate the schema', async () => {
  const connection = await postgres.createDatabase()
  await withClient(connection, async (client) => {
    // A lock as another version would hold it: on the chain's id only, in a schema with other
    // columns.
    await client.query(`CREATE TABLE chains (id smallint, name text)`)
    await client.query(`INSERT INTO chains VALUES (1, 'first')`)
    await client.query(`SELECT pg_advisory_lock(${0x2f6b_11a2}, id) FROM chains`)
    const { config } = await configOf('first', undefined)
    const args = ['--config', config, '--port', '0', '--database-url', urlOf(connection)]
    expect(await failedStart(...args)).toBe('STORE_WRITER_LOCKED')
    expect(await readVersion(client)).toBe(0)
  })
})
