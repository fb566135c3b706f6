import { evmIds } from '@chaintape/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createEngine } from '../../packages/server/src/engine/engine.ts'
import type { GatewayChain } from '../../packages/server/src/gateway/chain/gatewayChain.ts'
import { RecentBlocks } from '../../packages/server/src/gateway/chain/recentBlocks.ts'
import { createFeed } from '../../packages/server/src/gateway/feed/createFeed.ts'
import { noFeedOptions } from '../../packages/server/src/gateway/feed/params/feedOptions.ts'
import {
  createReplayStore,
  type StoredTradeFilter,
} from '../../packages/server/src/gateway/feed/replay/replayStore.ts'
import { encodeEntry } from '../../packages/server/src/log/entryCodec.ts'
import type { BlockRef } from '../../packages/server/src/model/block.ts'
import type { LogEntry } from '../../packages/server/src/model/logEntry.ts'
import type { MarketEvent } from '../../packages/server/src/model/marketEvent.ts'
import { pairMilestonesOf } from '../../packages/server/src/model/pairMilestones.ts'
import { openStore, type Store } from '../../packages/server/src/store/openStore.ts'
import { BlockGenerator, generatorProfile } from '../support/blockGenerator.ts'
import {
  createSubscriber,
  refWithRealHashes,
  sentMs,
  withRealHashes,
} from '../support/feedMarket.ts'
import { silentLogger } from '../support/postgres.ts'
import { startTestPostgres, type TestPostgres } from '../support/testPostgres.ts'
import { until } from '../support/until.ts'

let postgres: TestPostgres
let store: Store
let chainId: number
const log: LogEntry[] = []
/** Blocks of the canonical chain with their events. */
const blocks: { ref: BlockRef; events: readonly MarketEvent[] }[] = []
/** The last reverted block. */
let lost: BlockRef
const profile = { ...generatorProfile, reorgDepthMax: 4 }

beforeAll(async () => {
  postgres = await startTestPostgres()
  store = await openStore({ connection: await postgres.createDatabase(), logger: silentLogger })
  chainId = await store.ensureChain('local')
  let persistedSeq = 0
  const writer = await store.openWriter({
    chainId,
    chain: 'local',
    onPersisted: ({ seq }) => {
      persistedSeq = seq
    },
  })
  const generator = new BlockGenerator({ seed: 11, numberStepMax: 7 })
  const engine = createEngine({ profile: generatorProfile })
  const write = (entry: LogEntry, ref: BlockRef) => {
    const events = engine.apply(entry)
    log.push(entry)
    const head = engine.head()
    const type = entry.type as 'commit' | 'revert'
    writer.append({
      chainId,
      expectedSeq: log.length - 1,
      entries: [{ type, ref, bytes: encodeEntry(entry), undo: Buffer.from('undo') }],
      headAfter: { number: head?.number ?? -1, hash: head?.hash ?? '' },
      events,
      balances: [],
      reverted: type === 'revert' ? ref : null,
      nowS: ref.timeS,
    })
    return events
  }
  const commit = () => {
    const block = withRealHashes(generator.next())
    blocks.push({ ref: block.ref, events: write({ type: 'commit', block }, block.ref) })
  }
  for (let left = 30; left > 0; left -= 1) commit()
  lost = refWithRealHashes(generator.revert())
  blocks.pop()
  write({ type: 'revert', ref: lost }, lost)
  for (let left = 12; left > 0; left -= 1) commit()
  await until('all is stored', () => persistedSeq === log.length)
  return async () => {
    await store.close()
  }
})
afterAll(() => postgres.stop())

const chain = () => ({ storeId: chainId, profile }) as unknown as GatewayChain

const idsOf = (type: 'swap' | 'liquidity', isOf: (pairId: number) => boolean) =>
  blocks.flatMap(({ ref, events }) =>
    events.flatMap((event) => {
      if (event.type !== type) return []
      const { pairId, index } = event.type === 'swap' ? event.swap : event.liquidity
      return isOf(pairId) ? [`${ref.number}-${index}`] : []
    }),
  )

test('behavior: canonical blocks are found by number, reverted ones are not', async () => {
  const history = createReplayStore(store)
  const numbers = [blocks[3]!.ref.number, lost.number, 9_999]
  const found = await history.findBlocks(chain(), numbers)
  expect(found.get(numbers[0]!)).toEqual(blocks[3]!.ref)
  expect(found.get(lost.number)).toEqual(blocks.find(({ ref }) => ref.number === lost.number)!.ref)
  expect(found.get(lost.number)?.hash).not.toBe(lost.hash)
  expect(found.has(9_999)).toBe(false)
})

test('behavior: blocks up to a number and reverted ones, across gaps in the numbers', async () => {
  const history = createReplayStore(store)
  const refs = blocks.map(({ ref }) => ref)
  const parentNumbers = refs.slice(1).map(({ parentNumber }) => parentNumber)
  expect(parentNumbers).toEqual(refs.slice(0, -1).map(({ number }) => number))
  expect(refs.some(({ number, parentNumber }) => number > parentNumber + 1)).toBe(true)
  const upTo = refs[20]!.number
  expect(await history.loadBlocksUpTo(chain(), upTo, 5)).toEqual(refs.slice(16, 21).reverse())
  expect(await history.loadReverted(chain(), upTo, 5)).toEqual([])
  expect(await history.loadReverted(chain(), lost.number, 5)).toEqual([lost])
})

test.each(['swap', 'liquidity'] as const)(
  'behavior: %s events by place, in pages',
  async (kind) => {
    const history = createReplayStore(store)
    const pairIds = [0, 1, 2]
    const wanted = idsOf(kind, (pairId) => pairIds.includes(pairId))
    const toNumber = blocks.at(-1)!.ref.number
    const got: string[] = []
    let after = { number: -1, index: -1, timeS: 0 }
    for (;;) {
      const query = { kind, pairIds, after, toNumber, limit: 7, order: 'asc' as const }
      const rows = await history.loadTrades(chain(), query)
      for (const { blockNumber, timeS, event } of rows) {
        const { index } = event.type === 'swap' ? event.swap : event.liquidity
        got.push(`${blockNumber}-${index}`)
        after = { number: blockNumber, index, timeS }
      }
      if (rows.length < 7) break
    }
    expect(wanted.length).toBeGreaterThan(7)
    expect(got).toEqual(wanted)
    const newest = await history.loadTrades(chain(), {
      kind,
      pairIds,
      toNumber,
      limit: 3,
      order: 'desc',
      after: { number: -1, index: -1, timeS: 0 },
    })
    expect(newest.map(({ blockNumber }) => blockNumber)).toEqual(
      wanted
        .slice(-3)
        .reverse()
        .map((id) => Number(id.split('-')[0])),
    )
  },
)

test('behavior: swaps of all pairs, filtered by wallet, value and protocol', async () => {
  const history = createReplayStore(store)
  const pairs = new Map(
    log.flatMap((entry) =>
      entry.type === 'commit' ? entry.block.pairs.map((pair) => [pair.id, pair] as const) : [],
    ),
  )
  const swaps = blocks.flatMap(({ ref, events }) =>
    events.flatMap((event) =>
      event.type === 'swap'
        ? [
            {
              ...event,
              id: `${ref.number}-${event.swap.index}`,
              pair: pairs.get(event.swap.pairId)!,
            },
          ]
        : [],
    ),
  )
  const idsBy = async (filter: StoredTradeFilter) => {
    const rows = await history.loadTrades(chain(), {
      kind: 'swap',
      pairIds: null,
      filter,
      limit: 10_000,
      order: 'asc',
      after: { number: -1, index: -1, timeS: 0 },
      toNumber: blocks.at(-1)!.ref.number,
    })
    return rows.map(({ blockNumber, event }) =>
      event.type === 'swap' ? `${blockNumber}-${event.swap.index}` : '',
    )
  }
  const of = (isOf: (swap: (typeof swaps)[number]) => boolean) =>
    swaps.filter(isOf).map(({ id }) => id)
  const { swap, pair, amountUsdE8 } = swaps.find(
    (one) => one.pair.isTrusted && one.amountUsdE8 > 0,
  )!
  expect(await idsBy({})).toEqual(of(() => true))
  const ofWallet = of((one) => one.swap.wallet === swap.wallet && one.pair.isTrusted)
  expect(ofWallet.length).toBeGreaterThan(0)
  expect(await idsBy({ wallet: swap.wallet, isTrusted: true })).toEqual(ofWallet)
  const large = of((one) => one.amountUsdE8 >= amountUsdE8 && one.pair.amm === pair.amm)
  expect(large.length).toBeGreaterThan(0)
  expect(await idsBy({ usdE8Min: amountUsdE8, venue: pair.amm })).toEqual(large)
  expect(await idsBy({ venue: 'nothing' })).toEqual([])
})

/** Restarts the service: it has the newest ten blocks in memory, and the store has the others. */
function restart() {
  const engine = createEngine({ profile })
  const recent = new RecentBlocks({ seq: 0, number: -1, reorgDepthMax: 10 })
  for (const [at, entry] of log.entries())
    recent.applied({ seq: at + 1, entry, events: engine.apply(entry) })
  recent.persisted(log.length)
  recent.keepNewest(10)
  const status = () => ({ persistedNumber: engine.head()!.number, state: 'live', tipNumber: null })
  const market = { ...chain(), ids: evmIds, reads: engine, recent, version: () => 0, status }
  const feed = createFeed({
    chains: new Map([['local', market as unknown as GatewayChain]]),
    history: createReplayStore(store),
    clock: { nowMs: () => sentMs },
    logger: silentLogger,
    limits: { replayPageMax: 5 },
  })
  feed.openChain('local')
  return { engine, feed }
}

test('behavior: after a restart a reader resumes, from the store and then from memory', async () => {
  const { engine, feed } = restart()
  const { ref } = blocks[0]!
  const since = `${ref.number}-${ref.hash.slice(2, 10)}-2147483647`
  const multi = createSubscriber('multi_tx:token-0-local', 1, { ...noFeedOptions, since }, {})
  const wanted = idsOf('swap', (pairId) => {
    const { token0Id, token1Id } = engine.pairState(pairId).record
    return token0Id === 0 || token1Id === 0
  }).filter((id) => !id.startsWith(`${ref.number}-`))
  feed.add({ key: multi.key }, multi)
  await until('all came', () => multi.messages.length >= wanted.length)
  expect(multi.messages.map(({ result }) => result.tx.id)).toEqual(wanted)
  expect(multi.messages.every(({ cursor }) => /^\d+-[0-9a-f]{8}-\d+$/.test(cursor))).toBe(true)
})

test('behavior: after a restart new pairs resume, from the store and then from memory', async () => {
  const { engine, feed } = restart()
  const wanted = blocks.flatMap(({ ref, events }) =>
    pairMilestonesOf(events).map(({ event, pairId }, index) => ({
      pushed: `${event} ${engine.pairRecord(pairId).address}`,
      cursor: `${ref.number}-${ref.hash.slice(2, 10)}-${index}`,
    })),
  )
  expect(new Set(wanted.map(({ pushed }) => pushed.split(' ')[0]))).toEqual(
    new Set(['created', 'graduated']),
  )
  const news = ({ messages }: ReturnType<typeof createSubscriber>) =>
    messages.map(({ result, cursor }) => ({
      pushed: `${result.event} ${result.pair.pair}`,
      cursor,
    }))
  const read = async (options: Partial<typeof noFeedOptions>, count: number) => {
    const reader = createSubscriber('new_pairs:local', 1, { ...noFeedOptions, ...options }, {})
    feed.add({ key: reader.key }, reader)
    await until('all came', () => reader.messages.length >= count)
    return news(reader)
  }
  for (const [at, { cursor: since }] of wanted.entries())
    expect(await read({ since }, wanted.length - at - 1)).toEqual(wanted.slice(at + 1))
  expect(await read({ snapshot: true }, wanted.length)).toEqual(wanted)
})
