// Wall clocks of a leading indexer and a gateway jump by an hour, forward and back: the leader
// stays, clients receive every trade once, keys keep working, and the stored data equals that of a
// run with a steady clock.
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { createTape } from '../../packages/client/src/index.ts'
import { readChainTrades } from '../support/chainTrades.ts'
import { followTrades } from '../support/followTrades.ts'
import { type IndexedNode, startIndexedNode } from '../support/indexedNode.ts'
import { createJumpingClock, showsClockOffset } from '../support/jumpingClock.ts'
import { type NatsServers, startNatsServers } from '../support/natsServers.ts'
import { type TestConnection, urlOf } from '../support/postgres.ts'
import { type Program, runProgram, testApiKey, writeChainConfig } from '../support/program.ts'
import { readStoredFrom } from '../support/storedMarket.ts'
import { startTestPostgres, type TestPostgres } from '../support/testPostgres.ts'
import { until } from '../support/until.ts'

const adminKey = 'a-key-for-administration'
const endIndex = 2_147_483_647

let market: IndexedNode
let postgres: TestPostgres
let connection: TestConnection
let nats: NatsServers
let configFile: string
const programs: Program[] = []

beforeAll(async () => {
  market = await startIndexedNode({ seed: 'clock', blocks: 10 })
  postgres = await startTestPostgres()
  connection = await postgres.createDatabase()
  nats = await startNatsServers(1)
  const free = { credits_per_period: 0, subscriptions_max: 0, price_ids_max: 0 }
  const plans = { rated: { ...free, requests_per_s: 20, messages_per_s: 0, sockets_max: 0 } }
  const settings = { database_url: urlOf(connection), nats: { urls: nats.urls } }
  configFile = await writeChainConfig(postgres.dataDir, market.node, {
    settings: { ...settings, plans, admin_key: adminKey, log: { level: 'info' } },
  })
})

afterAll(async () => {
  for (const { child, ended } of programs) {
    child.kill('SIGKILL')
    await ended
  }
  await nats?.stop()
  await market?.stop()
  await postgres?.stop()
})

function start(role: string, env: NodeJS.ProcessEnv = {}): Program {
  const words = ['start', '--json', '--config', configFile, '--port', '0', '--role', role]
  const program = runProgram(words, env)
  programs.push(program)
  return program
}

async function createKey(address: string): Promise<string> {
  const headers = { 'X-ADMIN-KEY': adminKey, 'content-type': 'application/json' }
  const request = { method: 'POST', headers, body: JSON.stringify({ plan: 'rated' }) }
  const response = await fetch(`${address}/admin/keys`, request)
  return ((await response.json()) as { key: string }).key
}

async function ask(address: string, key: string): Promise<Response> {
  const response = await fetch(`${address}/v2/tokens/main?chain=local`, {
    headers: { 'X-API-KEY': key },
  })
  await response.arrayBuffer()
  return response
}

async function untilServed(address: string): Promise<void> {
  const { number } = await market.node.readHead()
  await until(`block ${number} is served and stored`, async () => {
    const health = (await (await fetch(`${address}/health/ready`)).json()) as {
      chains: Record<string, { head_block: number; persisted_block: number }>
    }
    const { head_block, persisted_block } = health.chains.local!
    return head_block === number && persisted_block === number
  })
}

const isLogged = (program: Program, message: string) =>
  program.stderr().includes(`"msg":"${message}"`)

test('default: jumps of an hour forward, two back and one forward change nothing', async () => {
  const clock = await createJumpingClock(join(postgres.dataDir, 'clock'))
  const leader = start('indexer', clock.env)
  await until('it leads', () => isLogged(leader, 'Leads'))
  const standby = start('indexer')
  const gateway = start('gateway', clock.env)
  const [text] = await gateway.untilOutput(/\{[\s\S]*\}\n/)
  const { address } = JSON.parse(text) as { address: string }
  await until('the other stands by', () => isLogged(standby, 'Standby market loaded'))
  await untilServed(address)
  const { number: after, hash } = await market.node.readHead()
  const tape = createTape({ url: address, key: testApiKey, WebSocket })
  const wrapped = market.node.profile.native.wrappedToken
  const { items } = followTrades(
    tape,
    tape.tokenSwaps(`${wrapped}-local`, { since: `${after}-${hash.slice(2, 10)}-${endIndex}` }),
  )
  const key = await createKey(address)

  for (const hours of [1, -1, 0]) {
    await clock.jump(hours)
    await until(`the clock is off by ${hours} h`, async () => {
      const response = await ask(address, key)
      // A key without credits left has some again within a second.
      return response.status === 200 && showsClockOffset(response, hours)
    })
    await market.mine(4)
    await untilServed(address)
    await until('the key has requests', async () => (await ask(address, key)).status === 200)
  }

  const { swaps } = await readChainTrades(market.node.rpcUrl, market.node.profile)
  const wanted = swaps
    .filter(({ tx, tokens }) => tx.block_number > after && tokens.includes(wrapped))
    .map(({ tx }) => tx.id)
  await until('every trade is there', () => items.length >= wanted.length)
  expect(items.map(({ id }) => id)).toEqual(wanted)
  await tape.close()
  expect(isLogged(leader, 'Lost the session of the lease')).toBe(false)
  expect(isLogged(standby, 'Leads')).toBe(false)
  const stored = await readStoredFrom(connection, market.node.profile)
  const fresh = await market.backfillFresh()
  expect(stored.state).toEqual(fresh.state)
  expect(stored.tables).toEqual(fresh.tables)
})
