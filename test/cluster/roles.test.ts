// Indexer and gateway as two processes that share only the log and the store, compared with the
// program that joins both: answers and pushes for one chain must be equal.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DevNode, startDevNode } from '../support/devNode.ts'
import { createDataDir, removeDataDir, urlOf, withClient } from '../support/postgres.ts'
import { runProgram, testApiKey, writeChainConfig } from '../support/program.ts'
import { openProgramSocket, type ProgramSocket } from '../support/programSocket.ts'
import { type Service, startService } from '../support/service.ts'
import { startTestPostgres, type TestPostgres } from '../support/testPostgres.ts'
import { until } from '../support/until.ts'

type Role = { address: string; kill(): Promise<void>; end(): Promise<number | NodeJS.Signals> }

const dataDirs: string[] = []
const roles: Role[] = []
const sockets: ProgramSocket[] = []
let node: DevNode
let postgres: TestPostgres
let joined: Service
let configFile: string
let connection: Awaited<ReturnType<TestPostgres['createDatabase']>>

/** Resolves when the process says that it is ready. */
async function startRole(role: 'indexer' | 'gateway'): Promise<Role> {
  const words = ['start', '--json', '--config', configFile, '--port', '0', '--role', role]
  const { untilOutput, child, ended } = runProgram(words)
  const [text] = await untilOutput(/\{[\s\S]*\}\n/)
  const started = {
    address: (JSON.parse(text) as { address: string }).address,
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
    end() {
      child.kill('SIGINT')
      return ended
    },
  }
  roles.push(started)
  return started
}

async function get(address: string, url: string): Promise<string> {
  const response = await fetch(`${address}${url}`, { headers: { 'X-API-KEY': testApiKey } })
  const text = await response.text()
  expect(response.status, `${url}: ${text}`).toBe(200)
  return text
}

async function untilAtHead(addresses: readonly string[]): Promise<void> {
  const { number } = await node.readHead()
  for (const address of addresses)
    await until(`${address} is at block ${number}`, async () => {
      const headers = { 'X-API-KEY': testApiKey }
      const health = await fetch(`${address}/health/ready`, { headers })
      const { chains } = (await health.json()) as {
        chains: Record<string, { head_block: number; persisted_block: number }>
      }
      const { head_block, persisted_block } = Object.values(chains)[0]!
      return head_block === number && persisted_block === number
    })
}

beforeAll(async () => {
  node = await startDevNode({ market: true, seed: 'roles' })
  for (let block = 0; block < 20; block += 1) await node.mineMarket()
  for (let left = 2; left > 0; left -= 1) dataDirs.push(await createDataDir())
  joined = await startService(dataDirs[0]!, await writeChainConfig(dataDirs[0]!, node))
  postgres = await startTestPostgres()
  connection = await postgres.createDatabase()
  const settings = { database_url: urlOf(connection) }
  configFile = await writeChainConfig(dataDirs[1]!, node, { settings })
})

afterAll(async () => {
  for (const { webSocket } of sockets) webSocket.terminate()
  for (const role of roles) await role.kill()
  await joined?.kill()
  await node?.stop()
  await postgres?.stop()
  for (const dataDir of dataDirs) await removeDataDir(dataDir)
})

/** All pairs of the market, as <address>-local. */
async function pairIds(address: string): Promise<string[]> {
  const page = JSON.parse(
    await get(address, '/v2/tokens/trending?chain=local&page_size=100&current_page=0'),
  )
  const main = JSON.parse(await get(address, '/v2/tokens/main?chain=local'))
  const ids = new Set<string>()
  for (const { token } of [...page.tokens, ...main]) {
    const { data } = JSON.parse(await get(address, `/v2/tokens/${token}-local`))
    for (const { pair } of data.pairs) ids.add(`${pair}-local`)
  }
  return [...ids].sort()
}

async function answersOf(address: string, pairs: readonly string[]): Promise<string[]> {
  const urls = [
    '/v2/tokens/main?chain=local',
    '/v2/tokens?keyword=a&chain=local&limit=50',
    ...pairs.flatMap((id) => [
      `/v2/pairs/${id}`,
      `/v2/klines/pair/${id}?interval=1&limit=500`,
      `/v2/txs/${id}?limit=100&sort=desc`,
      `/v2/txs/swap/${id}?limit=100`,
      `/v2/txs/liq/${id}?limit=100`,
    ]),
  ]
  const answers: string[] = []
  // `to_time` is removed: each service was asked at another time.
  for (const url of urls)
    answers.push(`${url} ${(await get(address, url)).replace(/"to_time":\d+/, '')}`)
  return answers
}

/** Subscribes to everything; subscription ids count from 1. */
async function follow(address: string, pairs: readonly string[]): Promise<ProgramSocket> {
  const socket = await openProgramSocket(address, { key: testApiKey })
  sockets.push(socket)
  let id = 1
  await socket.subscribe(['new_pairs', 'local', { revisions: true }], id++)
  for (const pairId of pairs) {
    const [pair] = pairId.split('-')
    await socket.subscribe(['tx', pair, 'local'], id++)
    await socket.subscribe(['multi_tx', pair, 'local', { revisions: true }], id++)
    await socket.subscribe(['liq', pair, 'local'], id++)
    await socket.subscribe(['kline', pair, 'k1', 'local', { revisions: true }], id++)
    await socket.subscribe(['price', [pairId]], id++)
  }
  return socket
}

/**
 * Subscribes to trades only: each trade is pushed exactly once. Klines and prices are pushed again
 * when the backfilled chain replaces the served one.
 */
async function followTrades(address: string, pairs: readonly string[]): Promise<ProgramSocket> {
  const socket = await openProgramSocket(address, { key: testApiKey })
  sockets.push(socket)
  for (const [at, pairId] of pairs.entries())
    await socket.subscribe(['tx', pairId.split('-')[0], 'local'], at + 1)
  return socket
}

/** Pushes by subscription, without send times and times of the block's arrival. */
function pushesOf({ frames }: ProgramSocket): Record<string, string[]> {
  const byId: Record<string, string[]> = {}
  for (const { id, sent_time: _sent, received_time: _received, ...frame } of frames) {
    byId[`${id}`] ??= []
    byId[`${id}`]!.push(JSON.stringify(frame))
  }
  return byId
}

test('default: separate roles answer and push like the joined program, through a reorg and a restart', async () => {
  const indexer = await startRole('indexer')
  let serve = await startRole('gateway')
  await untilAtHead([joined.ready.address, serve.address])
  const pairs = (await pairIds(joined.ready.address)).slice(0, 6)
  expect(pairs.length).toBeGreaterThan(2)
  expect(await answersOf(serve.address, pairs)).toEqual(
    await answersOf(joined.ready.address, pairs),
  )

  const [ofJoined, ofServe] = await Promise.all(
    [joined.ready.address, serve.address].map((address) => follow(address, pairs)),
  )
  for (let block = 0; block < 10; block += 1) await node.mineMarket()
  await untilAtHead([joined.ready.address, serve.address])
  await node.reorg(3)
  for (let block = 0; block < 5; block += 1) await node.mineMarket()
  await untilAtHead([joined.ready.address, serve.address])
  await until('as many pushes arrived', () => ofServe!.frames.length >= ofJoined!.frames.length)
  // The bound leaves out the answers to the subscriptions.
  expect(ofJoined!.frames.length).toBeGreaterThan(5 * pairs.length + 30)
  expect(pushesOf(ofServe!)).toEqual(pushesOf(ofJoined!))
  expect(await answersOf(serve.address, pairs)).toEqual(
    await answersOf(joined.ready.address, pairs),
  )

  // The log remembers the consumer's position, and goes on without this process.
  await serve.kill()
  for (let block = 0; block < 5; block += 1) await node.mineMarket()
  await untilAtHead([joined.ready.address])
  serve = await startRole('gateway')
  await untilAtHead([serve.address])
  expect(await answersOf(serve.address, pairs)).toEqual(
    await answersOf(joined.ready.address, pairs),
  )
  await until('it has acknowledged all', () =>
    withClient(connection, async (client) => {
      const { rows } = await client.query(
        `SELECT 1 FROM cursors c JOIN log_consumers l USING (chain)
         WHERE l.consumer LIKE 'gateway %' AND l.seq = c.seq`,
      )
      return rows.length === 1
    }),
  )
  expect(await serve.end()).toBe(0)
  expect(await indexer.end()).toBe(0)
})

test('behavior: a gateway serves history that is backfilled behind the head, without missing or extra pushes', async () => {
  connection = await postgres.createDatabase()
  configFile = await writeChainConfig(dataDirs[1]!, node, {
    settings: { database_url: urlOf(connection) },
    limits: { history_first_blocks: 8 },
    chain: { start_block: 'latest', history: { from: 0 } },
  })
  const indexer = await startRole('indexer')
  const serve = await startRole('gateway')
  const pairs = (await pairIds(joined.ready.address)).slice(0, 6)
  const [ofJoined, ofServe] = await Promise.all(
    [joined.ready.address, serve.address].map((address) => followTrades(address, pairs)),
  )
  let left = 20
  await until('history is backfilled', async () => {
    if (left > 0) await node.mineMarket()
    left -= 1
    const { chains } = JSON.parse(await get(serve.address, '/v2/status'))
    return chains[0].first_block === 0
  })
  for (let block = 0; block < 3; block += 1) await node.mineMarket()
  await untilAtHead([joined.ready.address, serve.address])
  await until('as many pushes arrived', () => ofServe!.frames.length >= ofJoined!.frames.length)
  const tradesOf = ({ frames }: ProgramSocket) =>
    frames.flatMap(({ id, result }) => (result?.tx === undefined ? [] : `${id} ${result.tx.id}`))
  expect(tradesOf(ofServe!)).toEqual(tradesOf(ofJoined!))
  await until('it serves what replaced the chain', async () => {
    const [ours, theirs] = await Promise.all(
      [serve.address, joined.ready.address].map((address) => answersOf(address, pairs)),
    )
    return JSON.stringify(ours) === JSON.stringify(theirs)
  })
  expect(await serve.end()).toBe(0)
  expect(await indexer.end()).toBe(0)
})

test('behavior: a standby indexer takes over with the market it has in memory, through reorgs', async () => {
  connection = await postgres.createDatabase()
  const settings = { database_url: urlOf(connection), log: { level: 'info' } }
  configFile = await writeChainConfig(dataDirs[1]!, node, { settings })
  const leader = await startRole('indexer')
  const words = ['start', '--json', '--config', configFile, '--port', '0', '--role', 'indexer']
  const standby = runProgram(words)
  const serve = await startRole('gateway')
  try {
    await until('it has the market', () => standby.stderr().includes('Standby market loaded'))
    for (let block = 0; block < 8; block += 1) await node.mineMarket()
    await untilAtHead([serve.address])
    await node.reorg(3)
    for (let block = 0; block < 5; block += 1) await node.mineMarket()
    await untilAtHead([serve.address])
    await leader.kill()
    for (let block = 0; block < 5; block += 1) await node.mineMarket()
    await untilAtHead([joined.ready.address, serve.address])
    await node.reorg(2)
    for (let block = 0; block < 4; block += 1) await node.mineMarket()
    await untilAtHead([joined.ready.address, serve.address])
    const pairs = (await pairIds(joined.ready.address)).slice(0, 6)
    expect(await answersOf(serve.address, pairs)).toEqual(
      await answersOf(joined.ready.address, pairs),
    )
  } finally {
    standby.child.kill('SIGINT')
    expect(await standby.ended).toBe(0)
  }
  expect(await serve.end()).toBe(0)
})
