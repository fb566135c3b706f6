import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Config } from '../../config/schema/schema.ts'
import type { Engine } from '../../engine/engine.ts'
import type { NativeUsd } from '../../model/finishedBlock.ts'
import type { EntryConsumer } from '../../model/logEntry.ts'
import type { PairRecord } from '../../model/pair.ts'
import type { TokenRecord } from '../../model/token.ts'
import { plausibilityLimitsDefault } from '../../resolve/plausibility.ts'
import type { OpenSubjects } from '../../resolve/questions/openSubjects.ts'
import { resolverLimitsDefault } from '../../resolve/resolverLimits.ts'
import type { SeededPool } from '../../resolve/seenPools.ts'

/** Engine state that a chain's thread needs to resume. Plain data: it is posted to a worker. */
export type EngineStart = {
  nextTokenId: number
  nextPairId: number
  open: OpenSubjects
  /** Last known states of pools, the most recently traded last. */
  seenPools: readonly SeededPool[]
}

/**
 * The only way a chain's thread reads engine state. What it reads becomes part of blocks, and so of the log; a process
 * that follows the log never needs it.
 */
export type EngineDoor = {
  /** For the chain's own thread. No entry may be applied meanwhile. */
  start(): Promise<EngineStart>
  /** A pair that the thread created in an earlier run. */
  pairOf(id: number): PairRecord
  /** A token that the thread created in an earlier run. */
  tokenOf(id: number): TokenRecord
  /** For the threads of chains that take the price of their coin from this one; null: not known. */
  nativeUsd(): NativeUsd | null
}

type DoorReads = Pick<
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
  | 'settleAt'
>

const { poolsMax } = plausibilityLimitsDefault
const { creationSearchesMax, shareQueueMax, historyQueueMax } = resolverLimitsDefault
/** The thread ignores more. Twice its limit, because it leaves some out. */
const uncreatedMax = 2 * creationSearchesMax
/** As many as wait to be scanned, and as many again that are asked for later. */
const incompleteMax = 2 * historyQueueMax
/** Most were created and never held anything: the records of a million of them take more memory than the market. */
const unknownPoolsMax = 20_000

export function createEngineDoor(engine: DoorReads): EngineDoor {
  return {
    async start() {
      const tradedPairs = await tradedPairsOf(engine)
      return {
        nextTokenId: engine.tokenCount(),
        nextPairId: engine.pairCount(),
        open: await openSubjectsOf(engine, tradedPairs.toReversed()),
        seenPools: await readAll(engine, tradedPairs, (id) => seenPoolOf(engine, id)),
      }
    },
    pairOf: (id) => engine.pairRecord(id),
    tokenOf: (id) => engine.tokenRecord(id),
    nativeUsd() {
      const usd = engine.nativeUsd()
      return usd === null ? null : { usd, atS: engine.nativeAtS() }
    },
  }
}

const turnMs = 20
const placesPerLook = 256

/** Yields now and then: the process serves meanwhile, and reports to the database that it still leads. */
async function readAll<item>(
  engine: DoorReads,
  ids: Iterable<number>,
  read: (id: number) => item,
): Promise<item[]> {
  const items: item[] = []
  let turnEndMs = performance.now() + turnMs
  for (const id of ids) {
    engine.settleAt(items.length)
    items.push(read(id))
    if (items.length % placesPerLook > 0 || performance.now() < turnEndMs) continue
    await nextTurn()
    turnEndMs = performance.now() + turnMs
  }
  return items
}

/** `tradedPairs`: the most recently traded first. */
async function openSubjectsOf(
  engine: DoorReads,
  tradedPairs: readonly number[],
): Promise<OpenSubjects> {
  const tokensOf = (ids: Iterable<number>) => readAll(engine, ids, engine.tokenRecord)
  const pairsOf = (ids: Iterable<number>) => readAll(engine, ids, engine.pairRecord)
  const tradedTokens = (await pairsOf(tradedPairs)).flatMap(({ token0Id, token1Id }) => [
    token0Id,
    token1Id,
  ])
  const unknownPoolIds = engine.openQuestions('reserves')
  return {
    incompleteTokens: await tokensOf(
      firstOf(engine.openQuestions('holders'), tradedTokens, incompleteMax),
    ),
    uncreatedTokens: await tokensOf(
      engine.openQuestions('tokenCreation').subarray(0, uncreatedMax),
    ),
    uncreatedPairs: await pairsOf(engine.openQuestions('pairCreation').subarray(0, uncreatedMax)),
    unsharedPairs: await pairsOf(engine.openQuestions('shares').subarray(0, shareQueueMax)),
    unknownPoolIds,
    unknownPools: await pairsOf(firstOf(unknownPoolIds, tradedPairs, unknownPoolsMax)),
  }
}

/** Open ids: those that traded, then the newest. */
function firstOf(open: Uint32Array, traded: readonly number[], max: number): Set<number> {
  const ids = new Set<number>()
  for (const id of traded) if (ids.size < max && isIn(open, id)) ids.add(id)
  for (let place = open.length - 1; place >= 0 && ids.size < max; place -= 1) ids.add(open[place]!)
  return ids
}

/** A binary search: most tokens of a large market may be among the ids. */
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
 * Ids of the priced pairs that traded last, at most `poolsMax`, the last at the end; of the same time by id. In a market
 * of more pairs only those of a day are looked at: reading all of them takes seconds.
 */
async function tradedPairsOf(engine: DoorReads): Promise<number[]> {
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

/** A concentrated pool's reserves are null: they are its balances, which its events do not report. */
function seenPoolOf(engine: DoorReads, id: number): SeededPool {
  const { record, reserve0, reserve1, priceRaw } = engine.pairState(id)
  const isReported = record.kind === 'constantProduct'
  const reserves = isReported ? { reserve0, reserve1 } : { reserve0: null, reserve1: null }
  return { pool: record.address, ...reserves, priceRaw }
}

/** A chain whose engine has a door, and whose thread takes a price from another's. */
type DoorChain = {
  door: Pick<EngineDoor, 'nativeUsd'>
  setNativeUsd(price: NativeUsd): void
}

/** Chains without a price of their coin take it from another: it becomes a fact in each of their blocks. */
export function createNativePrices(
  { chains }: Pick<Config, 'chains'>,
  open: ReadonlyMap<string, DoorChain>,
): EntryConsumer & { tellOf(chain: string): void } {
  /** By chain, those that take its price. */
  const takers = new Map<string, string[]>()
  for (const [name, { native_usd_from: source }] of Object.entries(chains))
    if (source !== undefined) takers.set(source, [...(takers.get(source) ?? []), name])

  function tellOf(chain: string): void {
    const names = takers.get(chain)
    if (names === undefined) return
    const price = open.get(chain)?.door.nativeUsd() ?? null
    if (price === null) return
    for (const name of names) open.get(name)?.setNativeUsd(price)
  }

  return { name: 'native prices', tellOf, applied: ({ chain }) => tellOf(chain) }
}
