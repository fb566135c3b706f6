import { expect, test } from 'vitest'
import { BlockGenerator, generatorProfile } from '../../../../../test/support/blockGenerator.ts'
import { createChain, genesis, pair, swap, token } from '../../../../../test/support/marketChain.ts'
import type { Config } from '../../config/schema/schema.ts'
import { createEngine } from '../../engine/engine.ts'
import type { NativeUsdPrice } from '../../model/finishedBlock.ts'
import { plausibilityLimitsDefault } from '../../resolve/plausibility.ts'
import { noOpenQuestions } from '../../resolve/questions/questions.ts'
import { resolverLimitsDefault } from '../../resolve/resolverOptions.ts'
import { createEngineSeedSource, createNativePriceRelay } from './engineSeed.ts'

function runtimeOf(usd: number | null) {
  const received: NativeUsdPrice[] = []
  const seedSource = { nativeUsd: () => (usd === null ? null : { usd, atS: 7 }) }
  return {
    received,
    seedSource,
    setNativeUsd: (price: NativeUsdPrice) => void received.push(price),
  }
}

test('behavior: passes a known price to the chains that take it, and to no others', () => {
  const chains = {
    eth: {},
    rollup: { native_usd_from: 'eth' },
    other: { native_usd_from: 'eth' },
    bsc: {},
    side: { native_usd_from: 'bsc' },
  } as unknown as Config['chains']
  const runtimes = new Map([
    ['eth', runtimeOf(2_500)],
    ['rollup', runtimeOf(null)],
    ['other', runtimeOf(null)],
    ['bsc', runtimeOf(null)],
    ['side', runtimeOf(null)],
  ])
  const prices = createNativePriceRelay({ chains }, runtimes)
  for (const name of runtimes.keys()) prices.passPriceOf(name)
  // A chain that is not open yet gets the price when it opens.
  runtimes.delete('other')
  prices.passPriceOf('eth')
  expect(runtimes.get('rollup')!.received).toEqual([
    { usd: 2_500, atS: 7 },
    { usd: 2_500, atS: 7 },
  ])
  for (const name of ['eth', 'bsc', 'side']) expect(runtimes.get(name)!.received).toEqual([])
})

test('behavior: passes on the next ids, and incomplete pools and tokens', async () => {
  const engine = createEngine({ profile: generatorProfile })
  const generator = new BlockGenerator({ seed: 3 })
  const door = createEngineSeedSource(engine)
  expect(await door.start()).toEqual({
    nextTokenId: 0,
    nextPairId: 0,
    open: { ...noOpenQuestions, unknownPoolIds: new Uint32Array() },
    lastPoolStates: [],
  })
  const blocks = Array.from({ length: 20 }, () => generator.next())
  for (const block of blocks) engine.apply({ type: 'commit', block })
  const tokens = blocks.flatMap((block) => block.tokens)
  const pairs = blocks.flatMap((block) => block.pairs)
  const isComplete = new Map(
    blocks.flatMap(({ supplies }) => supplies.map((each) => [each.tokenId, each.isComplete])),
  )
  const { number, hash, timeS } = engine.head()!
  const unknown = {
    ...pairs[0]!,
    id: pairs.length,
    address: 'unknown',
    kind: 'concentrated' as const,
  }
  const late = { ...pairs[0]!, id: pairs.length + 1, address: 'late', createdAtS: 0 }
  isComplete.set(0, false)
  const supply = { tokenId: 0, total: 9n, burnt: 0n, locked: 0n, other: 0n, holders: 1 }
  engine.apply({
    type: 'commit',
    block: {
      ref: { number: number + 1, hash: 'last', parentNumber: number, parentHash: hash, timeS },
      receivedMs: 0,
      tokens: [],
      events: [],
      nativeUsd: null,
      pairs: [unknown, late],
      supplies: [{ ...supply, isComplete: false }],
    },
  })
  const start = await door.start()
  const incompleteTokens = start.open.incompleteTokens.toSorted((a, b) => a.id - b.id)
  expect([start.nextTokenId, start.nextPairId]).toEqual([tokens.length, pairs.length + 2])
  expect({ ...start.open, incompleteTokens }).toEqual({
    uncreatedPairs: [late],
    uncreatedTokens: tokens.filter(
      ({ id }) => engine.mainPairOf(id) !== null && !engine.launchOf(id)?.createdAtS,
    ),
    unsharedPairs: [...pairs, unknown, late].filter(
      ({ kind, isTrusted }) => kind === 'constantProduct' && isTrusted,
    ),
    incompleteTokens: tokens.filter(({ id }) => isComplete.get(id) === false),
    unknownPoolIds: Uint32Array.of(unknown.id),
    unknownPools: [unknown],
  })
  expect(door.pairById(pairs.length)).toEqual(unknown)
})

test('behavior: passes on pool states, the most recently traded last', async () => {
  const { engine, commit } = createChain()
  commit(genesis)
  const concentrated = { ...pair(2, 5, 0), kind: 'concentrated' as const }
  commit({ pairs: [concentrated], events: [swap(2, [-10, 5], [1_000, 500])] })
  commit({ events: [swap(1, [-10, 5], [1_990, 1_005])] })
  expect((await createEngineSeedSource(engine).start()).lastPoolStates).toEqual([
    { pool: 'pair-0', reserve0: 1_000n, reserve1: 2_000_000n, priceRaw: 2_000 },
    { pool: 'pair-2', reserve0: null, reserve1: null, priceRaw: 0.5 },
    { pool: 'pair-1', reserve0: 1_990n, reserve1: 1_005n, priceRaw: 1_005 / 1_990 },
  ])
})

test('behavior: limits pools to the most recently traded, then the newest', async () => {
  const pairCount = plausibilityLimitsDefault.poolsMax + 3
  const { engine } = createChain()
  const reads: typeof engine = {
    ...engine,
    pairCount: () => pairCount,
    activePairs: () => Array.from({ length: pairCount }, (_, id) => pairCount - 1 - id),
    pairRecord: (id) => pair(id, 5, 0),
    pairPriceRaw: (id) => (id === 1 ? 0 : 1),
    // All pairs traded at the same time, except the oldest pair, which traded last.
    pairActivity: (id) => ({ lastTradeAtS: id === 0 ? 9 : 5, lastTradeBlock: 1 }),
    pairState: (id) =>
      ({ record: pair(id, 5, 0), priceRaw: 1 }) as ReturnType<typeof engine.pairState>,
  }
  const { lastPoolStates } = await createEngineSeedSource(reads).start()
  expect(lastPoolStates).toHaveLength(plausibilityLimitsDefault.poolsMax)
  expect([
    lastPoolStates[0]!.pool,
    lastPoolStates.at(-2)!.pool,
    lastPoolStates.at(-1)!.pool,
  ]).toEqual(['pair-4', `pair-${pairCount - 1}`, 'pair-0'])
})

test('behavior: limits a large market to pools that traded within a day', async () => {
  const { engine, commit } = createChain()
  commit(genesis)
  commit({ events: [swap(1, [-10, 5], [1_990, 1_005])] })
  const reads: typeof engine = {
    ...engine,
    pairCount: () => plausibilityLimitsDefault.poolsMax + 1,
  }
  const { lastPoolStates } = await createEngineSeedSource(reads).start()
  expect(lastPoolStates.map(({ pool }) => pool)).toEqual(['pair-1'])
})

test('behavior: limits incomplete tokens to the most recently traded, then the newest', async () => {
  const tokenCount = 3 * resolverLimitsDefault.transferScanQueueMax
  const { engine, commit } = createChain()
  commit(genesis)
  commit({ events: [swap(1, [-10, 5], [1_990, 1_005])] })
  const { token0Id, token1Id } = engine.pairRecord(1)
  const reads: typeof engine = {
    ...engine,
    tokenCount: () => tokenCount,
    tokenRecord: (id) => token(id),
    // Holders are known for the quote token of each pair.
    openQuestions: (kind) =>
      Uint32Array.from({ length: kind === 'holders' ? tokenCount : 0 }, (_, id) => id).filter(
        (id) => id !== token1Id,
      ),
  }
  const { incompleteTokens } = (await createEngineSeedSource(reads).start()).open
  expect(incompleteTokens).toHaveLength(2 * resolverLimitsDefault.transferScanQueueMax)
  expect(incompleteTokens[0]!.id).toBe(token0Id)
  const newest = incompleteTokens.find(({ id }) => id >= engine.tokenCount())!
  expect(newest.id).toBe(tokenCount - 1)
  expect(new Set(incompleteTokens.map(({ id }) => id)).size).toBe(incompleteTokens.length)
})

test('behavior: passes on all ids of unknown pools, and records of the first to query', async () => {
  const pairCount = 45_000
  const ids = Array.from({ length: pairCount }, (_, id) => id).filter((id) => id % 3 !== 2)
  const { engine } = createChain()
  const reads: typeof engine = {
    ...engine,
    pairCount: () => pairCount,
    pairRecord: (id) => pair(id, 5, 0),
    openQuestions: (kind) => Uint32Array.from(kind === 'reserves' ? ids : []),
    pairPriceRaw: (id) => (id === 1 ? 2 : 0),
    pairActivity: () => ({ lastTradeAtS: 5, lastTradeBlock: 1 }),
    pairState: (id) =>
      ({ record: pair(id, 5, 0), priceRaw: 2 }) as ReturnType<typeof engine.pairState>,
  }
  const { unknownPoolIds, unknownPools } = (await createEngineSeedSource(reads).start()).open
  expect(unknownPools).toHaveLength(20_000)
  expect([...unknownPoolIds]).toEqual(ids)
  // The pool that traded comes first, then the newest pools.
  expect(unknownPools.slice(0, 3).map(({ id }) => id)).toEqual([1, pairCount - 2, pairCount - 3])
})

test('behavior: yields to the event loop while reading a large market', async () => {
  const { engine } = createChain()
  // All reads together take far longer than one slice of the event loop.
  const readMs = 0.2
  const reads: typeof engine = {
    ...engine,
    pairCount: () => 1_024,
    pairActivity: () => ({ lastTradeAtS: 5, lastTradeBlock: 1 }),
    pairPriceRaw() {
      const endMs = performance.now() + readMs
      while (performance.now() < endMs);
      return 0
    },
  }
  let scheduler = 0
  let isOver = false
  const count = () => {
    scheduler += 1
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  await createEngineSeedSource(reads).start()
  isOver = true
  expect(scheduler).toBeGreaterThan(1)
})
