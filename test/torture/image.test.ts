// A market that is larger than its memory goes on from an image after a restart, and what it stores and answers is the same.
import { readdir, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { startPrivatePostgres } from '../../packages/server/src/store/privatePostgres.ts'
import { type IndexedNode, startIndexedNode } from '../support/indexedNode.ts'
import { silentLogger, type TestConnection, withClient } from '../support/postgres.ts'
import { type Service, startService, untilStored } from '../support/service.ts'
import { expectSameMarket, readStored } from '../support/storedMarket.ts'
import { until } from '../support/until.ts'

let market: IndexedNode
let service: Service | undefined

beforeAll(async () => {
  market = await startIndexedNode({ seed: 'image', blocks: 60 })
})

afterEach(async () => {
  await service?.kill()
})

afterAll(() => market.stop())

async function imagesOf(dataDir: string): Promise<string[]> {
  const directory = join(dataDir, 'pages')
  const files = await readdir(directory).catch(() => [])
  return files.filter((file) => /^local\.\d+-/.test(file)).map((file) => join(directory, file))
}

/** Blocks, some of them reverted, until there is an image that was not there before. */
async function untilNewImage(dataDir: string): Promise<string> {
  const before = await imagesOf(dataDir)
  const found = async () => (await imagesOf(dataDir)).find((file) => !before.includes(file))
  await until('a newer image is there', async () => {
    await market.mine(1)
    await market.reorg(3)
    await untilStored(dataDir, market.node)
    return (await found()) !== undefined
  })
  return (await found())!
}

/** Whether there is an image of the newest snapshot, which one that ends in between has not. For a service that has ended. */
async function hasNewestImage(dataDir: string): Promise<boolean> {
  const server = await startPrivatePostgres({ dataDir, logger: silentLogger })
  const newestSeq = await withClient(server.connection as TestConnection, async (client) => {
    const { rows } = await client.query<{ seq: string }>('SELECT max(seq) AS seq FROM snapshots')
    return rows[0]!.seq
  })
  await server.stop()
  return (await imagesOf(dataDir)).some((file) => file.includes(`local.${newestSeq}-`))
}

test('behavior: killed or stopped, it goes on from the image; from the snapshot where that is damaged', async () => {
  const { dataDir, config } = await market.createConfig({
    market_bytes_max: 20_000,
    snapshot_every_ms: 100,
  })
  const startedFromImage = async () => {
    service = await startService(dataDir, config, [], { env: { CHAINTAPE_LOG_LEVEL: 'info' } })
    return /"isFromImage":(true|false)/.exec(service.stderr())?.[1] === 'true'
  }
  expect(await startedFromImage()).toBe(false)
  for (let [started, ends] = [0, 0]; started < 3; ends += 1) {
    await untilNewImage(dataDir)
    if (ends % 2 === 0) await service!.kill()
    else expect(await service!.stop()).toBe(0)
    const isExpected = await hasNewestImage(dataDir)
    expect(await startedFromImage()).toBe(isExpected)
    started += Number(isExpected)
  }
  expect(await service!.stop()).toBe(0)
  for (const image of await imagesOf(dataDir)) await truncate(image, (await stat(image)).size - 1)
  expect(await startedFromImage()).toBe(false)
  expect(service!.stderr()).toContain('Passed over an image of the market')
  await untilNewImage(dataDir)
  expect(await service!.stop()).toBe(0)
  expectSameMarket(await readStored(dataDir, market.node.profile), await market.backfillFresh())
})
