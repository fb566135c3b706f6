import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Config } from '../../config/schema/schema.ts'
import type { Engine } from '../../engine/engine.ts'
import type { NativeUsdPrice } from '../../model/finishedBlock.ts'
import type { EntryConsumer } from '../../model/logEntry.ts'
import type { PairRecord } from '../../model/pair.ts'
import type { TokenRecord } from '../../model/token.ts'
import type { SavedPoolState } from '../../resolve/lastPoolStates.ts'
import { plausibilityLimitsDefault } from '../../resolve/plausibility.ts'
import type { OpenQuestions } from '../../resolve/questions/questions.ts'
import { resolverLimitsDefault } from '../../resolve/resolverOptions.ts'

/** Engine state that a chain's worker needs to resume. Plain data: it is posted to the worker. */
export type EngineSeed = {
  nextTokenId: number
  nextPairId: number
  open: OpenQuestions
  /** Last known states of pools; the most recently traded pool is last. */
  lastPoolStates: readonly SavedPoolState[]
}

/**
 * The only way a chain's worker reads engine state. Whatever the worker reads ends up in log
 * entries, so a process that follows the log needs no such access.
 */
export type EngineSeedSource = {
  /**
   * Collects the engine state for the chain's own worker. No entry may be applied until the promise
   * resolves.
   */
  start(): Promise<EngineSeed>
  /** Returns a pair that an earlier run of the worker created. */
  pairById(id: number): PairRecord
  /** Returns a token that an earlier run of the worker created. */
  tokenById(id: number): TokenRecord
  /**
   * Price of the native coin, for chains configured to take their native price from this chain;
   * null: unknown.
   */
  nativeUsd(): NativeUsdPrice | null
}

type SeedReads = Pick<
  Engine,
  | 'tokenCount'
  | 'tokenRecord'
  | 'pairCount'
  | 'pairRecord'
  | 'pairPriceRaw'
  | 'pairActivity'
  | 'pairState'
  | 'openQuestions'
  | 'activePairs'
  | 'nativeUsd'
  | 'nativeAtS'
  | 'evictDuringScan'
>

const { poolsMax } = plausibilityLimitsDefault
const { creationSearchesMax, shareQueueMax, transferScanQueueMax } = resolverLimitsDefault
/**
 * Pairs and tokens without a known creation to pass on. The worker skips some and ignores more than
 * its own limit, hence twice that limit.
 */
const creationUnknownMax = 2 * creationSearchesMax
/** Tokens without complete holders to pass on: the worker's scan queue, and as many for later. */
const holdersIncompleteMax = 2 * transferScanQueueMax
/**
 * Pools without known reserves to pass on. Most pools never held anything: a million of their
 * records would exceed the market in memory.
 */
const unknownPoolsMax = 20_000

export function createEngineSeedSource(engine: SeedReads): EngineSeedSource {
  return {
    async start() {
      const tradedPairs = await recentlyTradedPairs(engine)
      return {
        nextTokenId: engine.tokenCount(),
        nextPairId: engine.pairCount(),
        open: await openSubjectsOf(engine, tradedPairs.toReversed()),
        lastPoolStates: await readAll(engine, tradedPairs, (id) => lastPoolState(engine, id)),
      }
    },
    pairById: (id) => engine.pairRecord(id),
    tokenById: (id) => engine.tokenRecord(id),
    nativeUsd() {
      const usd = engine.nativeUsd()
      return usd === null ? null : { usd, atS: engine.nativeAtS() }
    },
  }
}

const sliceMs = 20
const placesPerLook = 256

/** Reads in slices of `turnMs` so that the process keeps serving and renewing its lease. */
async function readAll<item>(
  engine: SeedReads,
  ids: Iterable<number>,
  read: (id: number) => item,
): Promise<item[]> {
  const items: item[] = []
  let turnEndMs = performance.now() + sliceMs
  for (const id of ids) {
    engine.evictDuringScan(items.length)
    items.push(read(id))
    if (items.length % placesPerLook > 0 || performance.now() < turnEndMs) continue
    await nextTurn()
    turnEndMs = performance.now() + sliceMs
  }
  return items
}

/** `tradedPairs`: most recently traded first. */
async function openSubjectsOf(
  engine: SeedReads,
  tradedPairs: readonly number[],
): Promise<OpenQuestions> {
  const tokensOf = (ids: Iterable<number>) => readAll(engine, ids, engine.tokenRecord)
  const pairsOf = (ids: Iterable<number>) => readAll(engine, ids, engine.pairRecord)
  const tradedTokens = (await pairsOf(tradedPairs)).flatMap(({ token0Id, token1Id }) => [
    token0Id,
    token1Id,
  ])
  const unknownPoolIds = engine.openQuestions('reserves')
  return {
    incompleteTokens: await tokensOf(
      firstOf(engine.openQuestions('holders'), tradedTokens, holdersIncompleteMax),
    ),
    uncreatedTokens: await tokensOf(
      engine.openQuestions('tokenCreation').subarray(0, creationUnknownMax),
    ),
    uncreatedPairs: await pairsOf(
      engine.openQuestions('pairCreation').subarray(0, creationUnknownMax),
    ),
    unsharedPairs: await pairsOf(engine.openQuestions('shares').subarray(0, shareQueueMax)),
    unknownPoolIds,
    unknownPools: await pairsOf(firstOf(unknownPoolIds, tradedPairs, unknownPoolsMax)),
  }
}

/** Picks up to `max` of the open ids: recently traded ids first, then the newest. */
function firstOf(open: Uint32Array, traded: readonly number[], max: number): Set<number> {
  const ids = new Set<number>()
  for (const id of traded) if (ids.size < max && isIn(open, id)) ids.add(id)
  for (let place = open.length - 1; place >= 0 && ids.size < max; place -= 1) ids.add(open[place]!)
  return ids
}

/** Binary search: in a large market `ids` may contain most tokens. */
function isIn(ids: Uint32Array, id: number): boolean {
  let from = 0
  let to = ids.length
  while (from < to) {
    const middle = (from + to) >>> 1
    if (ids[middle]! < id) from = middle + 1
    else to = middle
  }
  return ids[from] === id
}

/**
 * Returns the most recently traded priced pairs, at most `poolsMax`, newest trade last, ties by id.
 * Larger markets consider only pairs active within a day: reading every pair takes seconds.
 */
async function recentlyTradedPairs(engine: SeedReads): Promise<number[]> {
  const pairCount = engine.pairCount()
  const isSmall = pairCount <= poolsMax
  const ids = isSmall ? Array.from({ length: pairCount }, (_, id) => id) : engine.activePairs()
  const pairs = await readAll(engine, ids, (id) => {
    return { id, hasPrice: engine.pairPriceRaw(id) !== 0, ...engine.pairActivity(id) }
  })
  return pairs
    .filter(({ hasPrice }) => hasPrice)
    .sort((a, b) => a.lastTradeAtS - b.lastTradeAtS || a.id - b.id)
    .slice(-poolsMax)
    .map(({ id }) => id)
}

/** Reserves of a concentrated pool are null: its swap events do not report token balances. */
function lastPoolState(engine: SeedReads, id: number): SavedPoolState {
  const { record, reserve0, reserve1, priceRaw } = engine.pairState(id)
  const isReported = record.kind === 'constantProduct'
  const reserves = isReported ? { reserve0, reserve1 } : { reserve0: null, reserve1: null }
  return { pool: record.address, ...reserves, priceRaw }
}

/** A chain that can provide its native price, and receive another chain's. */
type PricedChain = {
  seedSource: Pick<EngineSeedSource, 'nativeUsd'>
  setNativeUsd(price: NativeUsdPrice): void
}

/**
 * Passes the native price between chains. A chain with `native_usd_from` has no price source of its
 * own and stores the other chain's price in each block.
 */
export function createNativePriceRelay(
  { chains }: Pick<Config, 'chains'>,
  open: ReadonlyMap<string, PricedChain>,
): EntryConsumer & { passPriceOf(chain: string): void } {
  /** Source chain → chains that take its native price. */
  const takers = new Map<string, string[]>()
  for (const [name, { native_usd_from: source }] of Object.entries(chains))
    if (source !== undefined) takers.set(source, [...(takers.get(source) ?? []), name])

  function passPriceOf(chain: string): void {
    const names = takers.get(chain)
    if (names === undefined) return
    const price = open.get(chain)?.seedSource.nativeUsd() ?? null
    if (price === null) return
    for (const name of names) open.get(name)?.setNativeUsd(price)
  }

  return { name: 'native prices', passPriceOf, onApplied: ({ chain }) => passPriceOf(chain) }
}
