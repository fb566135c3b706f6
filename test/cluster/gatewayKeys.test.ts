// Keys at two gateway processes that share a database: a key's limits apply to both together.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type DevNode, startDevNode } from '../support/devNode.ts'
import { createDataDir, removeDataDir, urlOf, withClient } from '../support/postgres.ts'
import { runProgram, writeChainConfig } from '../support/program.ts'
import { openProgramSocket, type ProgramSocket } from '../support/programSocket.ts'
import { startTestPostgres, type TestPostgres } from '../support/testPostgres.ts'
import { until } from '../support/until.ts'

const adminKey = 'a-key-for-administration'
const url = '/v2/tokens/main?chain=local'
const requestsPerS = 20
const creditsPerPeriod = 1_000

let node: DevNode
let dataDir = ''
let postgres: TestPostgres
let connection: Awaited<ReturnType<TestPostgres['createDatabase']>>
let gateways: string[] = []
const stops: (() => Promise<unknown>)[] = []
const sockets: ProgramSocket[] = []

async function startRole(configFile: string, role: string): Promise<string> {
  const words = ['start', '--json', '--config', configFile, '--port', '0', '--role', role]
  const { untilOutput, child, ended } = runProgram(words)
  stops.push(() => {
    child.kill('SIGKILL')
    return ended
  })
  const [text] = await untilOutput(/\{[\s\S]*\}\n/)
  return (JSON.parse(text) as { address: string }).address
}

beforeAll(async () => {
  node = await startDevNode()
  dataDir = await createDataDir()
  postgres = await startTestPostgres()
  connection = await postgres.createDatabase()
  const limitless = { requests_per_s: 0, credits_per_period: 0, subscriptions_max: 0 }
  const more = { price_ids_max: 0, messages_per_s: 0, sockets_max: 0 }
  const plans = {
    limitless: { ...limitless, ...more },
    rated: { ...limitless, ...more, requests_per_s: requestsPerS },
    counted: { ...limitless, ...more, credits_per_period: creditsPerPeriod },
    socketed: { ...limitless, ...more, sockets_max: 3 },
  }
  const settings = { database_url: urlOf(connection), plans, admin_key: adminKey }
  const configFile = await writeChainConfig(dataDir, node, { settings })
  await startRole(configFile, 'indexer')
  gateways = [await startRole(configFile, 'gateway'), await startRole(configFile, 'gateway')]
})

afterEach(() => {
  for (const { webSocket } of sockets.splice(0)) webSocket.terminate()
})

afterAll(async () => {
  for (const stop of stops) await stop()
  await node?.stop()
  await postgres?.stop()
  await removeDataDir(dataDir)
})

async function administer(path: string, body: object = {}): Promise<{ id: number; key: string }> {
  const headers = { 'X-ADMIN-KEY': adminKey, 'content-type': 'application/json' }
  const request = { method: 'POST', headers, body: JSON.stringify(body) }
  const response = await fetch(`${gateways[0]}/admin/keys${path}`, request)
  expect(response.ok, `${response.status}`).toBe(true)
  return (await response.json()) as { id: number; key: string }
}

async function ask(address: string, key: string): Promise<{ status: number; cost: number }> {
  const response = await fetch(`${address}${url}`, { headers: { 'X-API-KEY': key } })
  await response.arrayBuffer()
  return { status: response.status, cost: Number(response.headers.get('x-cu-cost')) }
}

test('behavior: a key revoked at one gateway is refused by the other, and its sockets close there', async () => {
  const { id, key } = await administer('', { plan: 'limitless' })
  for (const address of gateways) expect((await ask(address, key)).status).toBe(200)
  const socket = await openProgramSocket(gateways[1]!, { key })
  sockets.push(socket)
  expect((await socket.call('ping', [], 1)).result).toBe('pong')
  await administer(`/${id}/revoke`)
  for (const address of gateways)
    await until('the key is refused', async () => (await ask(address, key)).status === 401)
  expect((await socket.closed).code).toBe(1008)
})

test('behavior: requests per second are limited for both gateways together', async () => {
  const { key } = await administer('', { plan: 'rated' })
  let admitted = 0
  const startedMs = performance.now()
  // Sends twice the plan's rate to each gateway for some seconds.
  const untilMs = startedMs + 12_000
  const flood = async (address: string) => {
    while (performance.now() < untilMs) {
      const answers = await Promise.all(Array.from({ length: 4 }, () => ask(address, key)))
      for (const { status } of answers) if (status === 200) admitted += 1
    }
  }
  await Promise.all(gateways.map(flood))
  const passedS = (performance.now() - startedMs) / 1_000
  // Each gateway starts with a full bucket and takes half a second to read what the other admitted.
  expect(admitted).toBeLessThanOrEqual(requestsPerS * (passedS * 1.1 + 4) + 2)
  // Together they admit what the plan allows, but for what a slow machine asks too late.
  expect(admitted).toBeGreaterThanOrEqual(requestsPerS * passedS * 0.5)
})

test('behavior: credits are spent once for both gateways', async () => {
  const { id, key } = await administer('', { plan: 'counted' })
  let spent = 0
  const spend = async (address: string) => {
    for (;;) {
      const answers = await Promise.all(Array.from({ length: 5 }, () => ask(address, key)))
      for (const { status, cost } of answers) if (status === 200) spent += cost
      if (answers.every(({ status }) => status !== 200)) return answers.map(({ status }) => status)
    }
  }
  const [first, second] = await Promise.all(gateways.map(spend))
  expect(new Set([...first!, ...second!])).toEqual(new Set([429]))
  expect(spent).toBeLessThanOrEqual(creditsPerPeriod * 1.01)
  expect(spent).toBeGreaterThanOrEqual(creditsPerPeriod * 0.9)
  const { cost } = await ask(gateways[0]!, key).then(() => ask(gateways[1]!, key))
  expect(cost).toBe(0)
  await until('all that was spent is stored', () =>
    withClient(connection, async (client) => {
      const sql = 'SELECT coalesce(sum(cost), 0)::int AS cost FROM credits WHERE account_id = $1'
      const { rows } = await client.query<{ cost: number }>(sql, [id])
      return rows[0]!.cost === spent
    }),
  )
})

test('behavior: a key’s sockets are counted across both gateways', async () => {
  const { key } = await administer('', { plan: 'socketed' })
  const open = async (address: string) => {
    const socket = await openProgramSocket(address, { key })
    sockets.push(socket)
    return socket
  }
  const opened = await Promise.all([0, 1, 0, 1, 0, 1, 0, 1].map((index) => open(gateways[index]!)))
  await until('three are left', () => opened.filter((socket) => !socket.isClosed()).length <= 3)
  const left = opened.filter((socket) => !socket.isClosed())
  expect(left).toHaveLength(3)
  for (const socket of left) expect((await socket.call('ping', [], 1)).result).toBe('pong')
  expect(left.every((socket) => !socket.isClosed())).toBe(true)
})
