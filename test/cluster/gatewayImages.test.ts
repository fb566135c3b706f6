// A gateway with a market larger than its memory writes images of the indexer's snapshots into its
// own directory, and resumes from them.
import { readdir, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type IndexedNode, startIndexedNode } from '../support/indexedNode.ts'
import {
  createDataDir,
  removeDataDir,
  type TestConnection,
  urlOf,
  withClient,
} from '../support/postgres.ts'
import { type Program, runProgram, testApiKey, writeChainConfig } from '../support/program.ts'
import { startTestPostgres, type TestPostgres } from '../support/testPostgres.ts'
import { until } from '../support/until.ts'

let market: IndexedNode
let postgres: TestPostgres
/** Data directories of the indexer and of the gateway. */
const dataDirs: string[] = []
const running = new Set<Program>()

beforeAll(async () => {
  market = await startIndexedNode({ seed: 'gatewayImages', blocks: 60 })
  postgres = await startTestPostgres()
  for (let left = 2; left > 0; left -= 1) dataDirs.push(await createDataDir())
})

afterAll(async () => {
  for (const { child } of running) child.kill('SIGKILL')
  await Promise.all([...running].map(({ ended }) => ended))
  await market?.stop()
  await postgres?.stop()
  for (const dataDir of dataDirs) await removeDataDir(dataDir)
})

type Role = { address: string; isFromImage: boolean; stderr(): string; stop(): Promise<void> }

/** Resolves when the process is ready. */
async function start(role: 'indexer' | 'gateway', config: string): Promise<Role> {
  const words = ['start', '--json', '--config', config, '--port', '0', '--role', role]
  const program = runProgram(words)
  running.add(program)
  const [text] = await program.untilOutput(/\{[\s\S]*\}\n/)
  return {
    address: (JSON.parse(text) as { address: string }).address,
    isFromImage: /"isFromImage":true/.test(program.stderr()),
    stderr: program.stderr,
    async stop() {
      program.child.kill('SIGTERM')
      expect(await program.ended).toBe(0)
      running.delete(program)
    },
  }
}

async function imagesOf(dataDir: string): Promise<string[]> {
  const directory = join(dataDir, 'pages')
  const files = await readdir(directory).catch(() => [])
  return files.filter((file) => /^local\.\d+\.\d+-/.test(file)).map((file) => join(directory, file))
}

async function get({ address }: Role, path: string): Promise<unknown> {
  const response = await fetch(`${address}${path}`, { headers: { 'X-API-KEY': testApiKey } })
  expect(response.status).toBe(200)
  return await response.json()
}

async function untilAtHead(role: Role): Promise<void> {
  const { number } = await market.node.readHead()
  await until('it serves the head', async () => {
    const { chains } = (await get(role, '/health/ready')) as {
      chains: Record<string, { head_block: number; persisted_block: number }>
    }
    const { head_block, persisted_block } = chains.local!
    return head_block === number && persisted_block === number
  })
}

async function newestSnapshotSeq(connection: TestConnection): Promise<string> {
  return await withClient(connection, async (client) => {
    const { rows } = await client.query<{ seq: string }>('SELECT max(seq) AS seq FROM snapshots')
    return rows[0]!.seq
  })
}

type Detail = {
  token: Record<string, unknown>
  pairs: { pair: string; reserve0: unknown; reserve1: unknown }[]
}

/** Answers that do not depend on the time: records, prices, supplies, reserves and candles. */
async function answersOf(role: Role): Promise<unknown[]> {
  await untilAtHead(role)
  const main = (await get(role, '/v2/tokens/main?chain=local')) as { token: string }[]
  const found = (await get(role, '/v2/tokens?keyword=a&limit=300')) as { token: string }[]
  const tokens = new Set([...main, ...found].map(({ token }) => token))
  expect(tokens.size).toBeGreaterThan(3)
  const answers: unknown[] = []
  for (const address of [...tokens].sort()) {
    const { data } = (await get(role, `/v2/tokens/${address}-local`)) as { data: Detail }
    const { name, symbol, total, holders, current_price_usd } = data.token
    expect(current_price_usd).toBeDefined()
    answers.push([address, name, symbol, total, holders, current_price_usd])
    for (const { pair, reserve0, reserve1 } of data.pairs) {
      const klines = await get(role, `/v2/klines/pair/${pair}-local?interval=1&limit=500`)
      answers.push([pair, reserve0, reserve1, JSON.stringify(klines).replace(/"to_time":\d+/, '')])
    }
  }
  return answers
}

test('behavior: a gateway resumes from its image, or from the snapshot if the image is damaged, and answers the same', async () => {
  const connection = await postgres.createDatabase()
  const settings = {
    database_url: urlOf(connection),
    market_memory: 30_000,
    log: { level: 'info' },
  }
  const limits = { snapshot_every_ms: 100 }
  const [indexerDir, gatewayDir] = dataDirs as [string, string]
  const indexerConfig = await writeChainConfig(indexerDir, market.node, { settings, limits })
  const config = await writeChainConfig(gatewayDir, market.node, { settings, limits })
  const indexer = await start('indexer', indexerConfig)
  const first = await start('gateway', config)
  expect(first.isFromImage).toBe(false)
  await market.mine(40)
  await untilAtHead(first)
  await until('the gateway has an image', async () => (await imagesOf(gatewayDir)).length > 0)
  // No further snapshot is saved, so the newest one gets its image.
  await indexer.stop()
  const wanted = await answersOf(first)
  await until('the newest snapshot has its image', async () => {
    const seq = await newestSnapshotSeq(connection)
    return (await imagesOf(gatewayDir)).some((path) => path.includes(`.${seq}-`))
  })
  await first.stop()

  const second = await start('gateway', config)
  expect(second.isFromImage).toBe(true)
  expect(await answersOf(second)).toEqual(wanted)
  await second.stop()

  const [image] = await imagesOf(gatewayDir)
  await truncate(image!, (await stat(image!)).size - 1)
  const third = await start('gateway', config)
  expect(third.isFromImage).toBe(false)
  expect(third.stderr()).toContain('Skipped an unreadable image of the market')
  expect(await answersOf(third)).toEqual(wanted)
  await third.stop()
})
