// The whole program on a chain with a past: the head is followed at once, and earlier blocks are
// backfilled behind it.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { countStoredRows, type IndexedNode, startIndexedNode } from '../support/indexedNode.ts'
import { testApiKey } from '../support/program.ts'
import { openProgramSocket } from '../support/programSocket.ts'
import { createRandom } from '../support/random.ts'
import { type Service, startService, untilBalancesKnown } from '../support/service.ts'
import { expectSameMarket, readStored, type StoredMarket } from '../support/storedMarket.ts'
import { until } from '../support/until.ts'

let market: IndexedNode
let service: Service | undefined

beforeEach(async () => {
  market = await startIndexedNode({ seed: 'behind', blocks: 40 })
})

afterEach(async () => {
  await service?.kill()
  await market.stop()
})

const wanted = { start_block: 'latest', history: { from: 0 } }

async function untilComplete({ chainHealth }: Service): Promise<void> {
  await until('history is backfilled', async () => {
    const { history_complete: isComplete, first_block: first, state } = await chainHealth()
    return isComplete && first === 0 && state === 'live'
  })
}

async function untilAtHead({ chainHealth }: Service): Promise<void> {
  const { number } = await market.node.readHead()
  await until('the head is stored', async () => {
    const { persisted_block: persisted, state } = await chainHealth()
    return persisted === number && state === 'live'
  })
}

/** Addresses of the pools and their trades in order, as another indexer has read them. */
function tradesOf(
  { tables }: StoredMarket,
  afterNumber: number,
): { address: string; id: string }[] {
  type Pair = { id: number; address: string }
  const pairs = tables.pairs!.map((row) => JSON.parse(row) as Pair)
  const addresses = new Map(pairs.map(({ id, address }) => [id, address]))
  const swaps = tables.swaps!.map(
    (row) => JSON.parse(row) as { block: number; idx: number; pair_id: number },
  )
  return swaps
    .filter(({ block }) => block > afterNumber)
    .map(({ block, idx, pair_id }) => ({
      address: addresses.get(pair_id)!,
      id: `${block}-${idx}`,
    }))
}

test('default: the head is live at once, and backfilled history follows without missing or extra pushes', async () => {
  const { dataDir, config } = await market.createConfig({ history_first_blocks: 8 }, wanted)
  const addresses = new Set(tradesOf(await market.backfillFresh(), -1).map((t) => t.address))
  service = await startService(dataDir, config)
  const { number } = await market.node.readHead()
  const socket = await openProgramSocket(service.ready.address, { key: testApiKey })
  for (const [at, address] of [...addresses].entries())
    await socket.subscribe(['tx', address, 'local'], at + 1)
  expect((await service.chainHealth()).history_complete).toBe(false)
  let left = 40
  await until('history is backfilled', async () => {
    if (left > 0) await market.mine(1)
    left -= 1
    const { history_complete: isComplete, first_block: first } = await service!.chainHealth()
    return isComplete && first === 0
  })
  await market.mine(4)
  await untilAtHead(service)
  const expected = await market.backfillFresh()
  const wantedIds = tradesOf(expected, number).filter(({ address }) => addresses.has(address))
  const pushedIds = () => socket.frames.flatMap(({ result }) => result?.tx?.id ?? [])
  await until('the last trade is pushed', () => pushedIds().length >= wantedIds.length)
  expect(pushedIds().toSorted()).toEqual(wantedIds.map(({ id }) => id).toSorted())
  await socket.close()
  expect(await service.stop()).toBe(0)
  expect(expected.tables.swaps!.length).toBeGreaterThan(50)
  expectSameMarket(await readStored(dataDir, market.node.profile), expected)
})

test('behavior: kills, reorgs and restarts meanwhile leave the rows of an undisturbed backfill', async () => {
  const random = createRandom(11)
  const upTo = (most: number) => Math.floor(random() * (most + 1))
  const { dataDir, config } = await market.createConfig(
    { history_first_blocks: 8, snapshot_every_ms: 500 },
    wanted,
  )
  service = await startService(dataDir, config)
  for (let left = 6; left > 0; left -= 1) {
    await market.mine(1 + upTo(3))
    if (upTo(1) === 0) await market.reorg(1 + upTo(3))
    if (upTo(1) === 0) continue
    await service.kill()
    await market.mine(upTo(3))
    service = await startService(dataDir, config)
  }
  await untilComplete(service)
  await market.reorg(3)
  await untilAtHead(service)
  await untilBalancesKnown(service)
  // Holders that were counted after a block are stored with the next one.
  await until('the holders of all tokens are counted', async () => {
    await market.mine(1)
    await untilAtHead(service!)
    return (await countStoredRows(dataDir, 'supplies', 'NOT is_complete')) === 0
  })
  expect(await service.stop()).toBe(0)
  expectSameMarket(await readStored(dataDir, market.node.profile), await market.backfillFresh())
})
