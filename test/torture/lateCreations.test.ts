// The whole program on a chain whose pools were made before the first block that it reads.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type IndexedNode, startIndexedNode } from '../support/indexedNode.ts'
import { runProgram } from '../support/program.ts'
import { type Service, startService } from '../support/service.ts'
import { readStored } from '../support/storedMarket.ts'
import { until } from '../support/until.ts'

let market: IndexedNode
let service: Service | undefined

beforeEach(async () => {
  market = await startIndexedNode({ seed: 'creations', blocks: 4 })
})

afterEach(async () => {
  await service?.kill()
  await market.stop()
})

const searching = { creation_searches_max: 100 }

/** Address and creation of each pair that is trusted and no curve. */
async function creationsOf(dataDir: string): Promise<Map<string, number>> {
  const { tables } = await readStored(dataDir, market.node.profile)
  type Pair = { address: string; kind: string; is_trusted: boolean; created_at_s: number }
  const pairs = tables.pairs!.map((row) => JSON.parse(row) as Pair)
  const counted = pairs.filter((pair) => pair.is_trusted && pair.kind !== 'curve')
  return new Map(counted.map((pair) => [pair.address, pair.created_at_s]))
}

async function createdAt(address: string): Promise<number> {
  const response = await service!.get(`/v2/pairs/${address}-${market.node.profile.name}`)
  return ((await response.json()) as { created_at: number }).created_at
}

test('default: they get the creation that whoever has read the chain from its first block has seen', async () => {
  const { number } = await market.node.readHead()
  const whole = await market.createConfig()
  expect(await runProgram(['backfill', '--config', whole.config]).ended).toBe(0)
  const seen = await creationsOf(whole.dataDir)
  const { dataDir, config } = await market.createConfig(searching, { start_block: number })
  service = await startService(dataDir, config)
  const pools: string[] = []
  await until('creations are found', async () => {
    await market.mine(1)
    for (const [address, atS] of seen)
      if (!pools.includes(address) && (await createdAt(address)) === atS) pools.push(address)
    return pools.length >= 3
  })
  expect(await service.stop()).toBe(0)
  const found = await creationsOf(dataDir)
  for (const pool of pools) expect(found.get(pool)).toBe(seen.get(pool))
  for (const [address, atS] of found) expect([0, seen.get(address)]).toContain(atS)
  service = await startService(dataDir, config)
  expect(await createdAt(pools[0]!)).toBe(seen.get(pools[0]!))
})
