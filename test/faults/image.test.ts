// A market larger than its memory resumes from an image after a restart, and stores and answers the
// same.
import { link, open, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { readContents } from '../../packages/server/src/engine/image/imageContents.ts'
import { imageVersion } from '../../packages/server/src/engine/image/marketImage.ts'
import { startPrivatePostgres } from '../../packages/server/src/store/postgres/privatePostgres.ts'
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
  return files.filter((file) => /^local\.\d+\.\d+-/.test(file)).map((file) => join(directory, file))
}

/** Mines and reverts blocks until the service has written a new image. */
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

/**
 * Block number of the newest snapshot if it has an image; null if the service ended before it wrote
 * one. The service must be stopped.
 */
async function newestImaged(dataDir: string): Promise<number | null> {
  const server = await startPrivatePostgres({ dataDir, logger: silentLogger })
  const newest = await withClient(server.connection as TestConnection, async (client) => {
    const { rows } = await client.query<{ seq: string; number: string }>(
      'SELECT seq, number FROM snapshots ORDER BY seq DESC LIMIT 1',
    )
    return rows[0]!
  })
  await server.stop()
  const isThere = (await imagesOf(dataDir)).some((file) => file.includes(`.${newest.seq}-`))
  return isThere ? Number(newest.number) : null
}

const createConfig = () =>
  market.createConfig({ snapshot_every_ms: 100 }, {}, { market_memory: 30_000 })

async function startedFromImage(dataDir: string, config: string): Promise<boolean> {
  service = await startService(dataDir, config, [], { env: { CHAINTAPE_LOG_LEVEL: 'info' } })
  return /"isFromImage":(true|false)/.exec(service.stderr())?.[1] === 'true'
}

test('behavior: after a kill or stop it resumes from the image, or from the snapshot if the image is damaged', async () => {
  const { dataDir, config } = await createConfig()
  expect(await startedFromImage(dataDir, config)).toBe(false)
  // A written image releases the market for the next image, which reuses its pages.
  for (const _image of [1, 2, 3]) await untilNewImage(dataDir)
  for (let [started, ends] = [0, 0]; started < 3; ends += 1) {
    await untilNewImage(dataDir)
    if (ends % 2 === 0) await service!.kill()
    else expect(await service!.stop()).toBe(0)
    const isExpected = (await newestImaged(dataDir)) !== null
    expect(await startedFromImage(dataDir, config)).toBe(isExpected)
    started += Number(isExpected)
  }
  expect(await service!.stop()).toBe(0)
  for (const image of await imagesOf(dataDir)) await truncate(image, (await stat(image)).size - 1)
  const foreign = join(dataDir, 'pages', 'gone.9.7-ab.image')
  await writeFile(foreign, 'of a chain that is not configured')
  expect(await startedFromImage(dataDir, config)).toBe(false)
  await expect(stat(foreign)).rejects.toThrow('ENOENT')
  expect(service!.stderr()).toContain('Skipped an unreadable image of the market')
  await untilNewImage(dataDir)
  expect(await service!.stop()).toBe(0)
  expectSameMarket(await readStored(dataDir, market.node.profile), await market.backfillFresh())
})

/**
 * Stops the service when an image contains all of its market: only empty blocks follow, and
 * applying them again changes no page. Returns another name (hard link) of the image, which the
 * service does not delete.
 */
async function stopWithImage(dataDir: string, config: string): Promise<string> {
  await market.mine(1)
  const { number } = await market.node.readHead()
  for (;;) {
    for (let block = 0; block < 20; block += 1) await market.node.mine()
    await untilStored(dataDir, market.node)
    expect(await service!.stop()).toBe(0)
    const imaged = await newestImaged(dataDir)
    if (imaged !== null && imaged >= number) break
    await startedFromImage(dataDir, config)
  }
  const [image] = await imagesOf(dataDir)
  const held = join(dataDir, `held-${number}`)
  await link(image!, held)
  return held
}

/**
 * Changes the last byte of each page except the first pages, which are read when the image is
 * opened.
 */
async function damagePages(path: string, isDamaged: (name: string) => boolean): Promise<number> {
  const image = await readFile(path)
  const read = (at: number, to: Uint8Array) => void image.copy(to, 0, at, at + to.length)
  const source = { name: path, size: image.length, read, onDamaged: () => undefined }
  const { pages } = readContents(source, imageVersion)!
  const file = await open(path, 'r+')
  let damaged = 0
  for (const { name, at, pageBytes, count } of pages)
    for (let page = 1; page < count && isDamaged(name); page += 1) {
      const last = at + (page + 1) * pageBytes - 1
      await file.write(Buffer.of(image[last]! ^ 1), 0, 1, last)
      damaged += 1
    }
  await file.close()
  return damaged
}

test('error: damaged pages end the service, at its start or later, and the next start is correct', async () => {
  const { dataDir, config } = await createConfig()
  await startedFromImage(dataDir, config)
  const first = await stopWithImage(dataDir, config)
  expect(await damagePages(first, (name) => name === 'tokens')).toBeGreaterThan(0)
  await expect(startedFromImage(dataDir, config)).rejects.toThrow(
    /ended with 75[\s\S]*IMAGE_DAMAGED/,
  )
  expect(await imagesOf(dataDir)).toEqual([])
  expect(await startedFromImage(dataDir, config)).toBe(false)
  const second = await stopWithImage(dataDir, config)
  expect(await startedFromImage(dataDir, config)).toBe(true)
  expect(await damagePages(second, () => true)).toBeGreaterThan(0)
  let code: number | string | null = null
  void service!.ended.then((ended) => {
    code = ended
  })
  await until('the service has ended', async () => {
    if (code === null) await market.mine(1)
    return code !== null
  })
  expect(code).toBe(75)
  expect(service!.stderr()).toContain('IMAGE_DAMAGED')
  await startedFromImage(dataDir, config)
  await market.mine(1)
  await untilStored(dataDir, market.node)
  expect(await service!.stop()).toBe(0)
  expectSameMarket(await readStored(dataDir, market.node.profile), await market.backfillFresh())
})
