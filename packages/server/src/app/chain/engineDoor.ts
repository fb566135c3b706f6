import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Config } from '../../config/schema/schema.ts'
import type { Engine } from '../../engine/engine.ts'
import { keepLargest } from '../../engine/tables/keepLargest.ts'
import type { NativeUsd } from '../../model/finishedBlock.ts'
import type { EntryConsumer } from '../../model/logEntry.ts'
import type { PairRecord } from '../../model/pair.ts'
import type { PoolKind } from '../../model/pool.ts'
import type { TokenRecord } from '../../model/token.ts'
import { plausibilityLimitsDefault } from '../../resolve/plausibility.ts'
import { resolverLimitsDefault } from '../../resolve/resolverLimits.ts'
import type { SeededPool } from '../../resolve/seenPools.ts'

/** What the thread that reads a chain goes on with; plain data. */
export type EngineStart = {
  nextTokenId: number
  nextPairId: number
  /** Whose holders are not counted completely yet, those that traded last first. */
  incompleteTokens: readonly TokenRecord[]
  /** Ids of all concentrated pools whose balances nobody reported yet. */
  unknownPoolIds: Uint32Array
  /** Those of them to be asked for. */
  unknownPools: readonly PairRecord[]
  /** Pairs that were discovered late and whose creation was not looked for to the end. */
  uncreatedPairs: readonly PairRecord[]
  /** Tokens of which nobody has looked for that yet. */
  uncreatedTokens: readonly TokenRecord[]
  /** Pairs of whose shares nobody told. */
  unsharedPairs: readonly PairRecord[]
  /** What pools were like, those that traded last at the end. */
  seenPools: readonly SeededPool[]
}

/**
 * The one door from a chain's engine to the threads that read chains: all that they know of any market has come through
 * here. What passes it becomes part of blocks, and so of the log; a reader of the log needs no door.
 */
export type EngineDoor = {
  /** For the chain's own thread. No entry may be applied meanwhile. */
  start(): Promise<EngineStart>
  /** A pair that the thread made in an earlier run. */
  pairOf(id: number): PairRecord
  /** For the threads of chains that take the price of their coin from this one; null: it is not known. */
  nativeUsd(): NativeUsd | null
}

type DoorReads = Pick<
  Engine,
  | 'tokenCount'
  | 'tokenRecord'
  | 'isSupplyIncomplete'
  | 'mainPairOf'
  | 'launchOf'
  | 'pairCount'
  | 'pairRecord'
  | 'pairKind'
  | 'isPairTrusted'
  | 'pairCreatedAtS'
  | 'pairPriceRaw'
  | 'pairActivity'
  | 'pairState'
  | 'pairShares'
  | 'isCreationSearched'
  | 'isTokenCreationSearched'
  | 'nativeUsd'
  | 'nativeAtS'
  | 'settleAt'
>

const { poolsMax } = plausibilityLimitsDefault
const { creationSearchesMax, shareQueueMax, historyQueueMax } = resolverLimitsDefault
/** Of more the thread would not take notice: it looks for them after its next start. Some that it leaves out are among them. */
const uncreatedMax = 2 * creationSearchesMax
const unsharedMax = shareQueueMax
/** As many as wait to be scanned, and as many again that are asked for later: most of a market's tokens may be among them. */
const incompleteMax = 2 * historyQueueMax
/** Most were made and never held anything: of a million of them all records would take more memory than the market. */
const unknownPoolsMax = 20_000

export function createEngineDoor(engine: DoorReads): EngineDoor {
  return {
    async start() {
      const { tradedPairs, ...openPairs } = await pairsOf(engine)
      return {
        nextTokenId: engine.tokenCount(),
        nextPairId: engine.pairCount(),
        incompleteTokens: await incompleteTokensOf(engine, tradedPairs),
        uncreatedTokens: await uncreatedTokensOf(engine),
        ...openPairs,
        seenPools: await seenPoolsOf(engine, tradedPairs),
      }
    },
    pairOf: (id) => engine.pairRecord(id),
    nativeUsd() {
      const usd = engine.nativeUsd()
      return usd === null ? null : { usd, atS: engine.nativeAtS() }
    },
  }
}

const turnMs = 20
const placesPerLook = 256

/**
 * As far as `visit` says true. A start waits for each walk, so that as little of each token and pair is read as tells; and all else
 * of the process waits for a turn of it: what it serves, and the word to the database that it still leads.
 */
async function walk(
  engine: DoorReads,
  count: number,
  visit: (place: number) => boolean,
): Promise<void> {
  let turnEndMs = performance.now() + turnMs
  for (let place = 0; place < count; place += 1) {
    engine.settleAt(place)
    if (!visit(place)) return
    if (place % placesPerLook > 0 || performance.now() < turnEndMs) continue
    await nextTurn()
    turnEndMs = performance.now() + turnMs
  }
}

/** Of tokens that traded last, then of the newest ones. */
async function incompleteTokensOf(
  engine: DoorReads,
  tradedPairs: readonly number[],
): Promise<TokenRecord[]> {
  const ids = new Set<number>()
  const add = (id: number) => {
    if (ids.size < incompleteMax && engine.isSupplyIncomplete(id)) ids.add(id)
    return ids.size < incompleteMax
  }
  const newestFirst = tradedPairs.toReversed()
  await walk(engine, newestFirst.length, (place) => {
    const { token0Id, token1Id } = engine.pairRecord(newestFirst[place]!)
    return add(token0Id) && add(token1Id)
  })
  const tokenCount = engine.tokenCount()
  await walk(engine, tokenCount, (place) => add(tokenCount - 1 - place))
  return Array.from(ids, (id) => engine.tokenRecord(id))
}

async function uncreatedTokensOf(engine: DoorReads): Promise<TokenRecord[]> {
  const tokens: TokenRecord[] = []
  await walk(engine, engine.tokenCount(), (id) => {
    if (isUncreated(engine, id)) tokens.push(engine.tokenRecord(id))
    return tokens.length < uncreatedMax
  })
  return tokens
}

/** Of tokens that count: they have a main pair. */
function isUncreated(engine: DoorReads, tokenId: number): boolean {
  if (engine.isTokenCreationSearched(tokenId) || engine.mainPairOf(tokenId) === null) return false
  return !engine.launchOf(tokenId)?.createdAtS
}

type OpenPairs = Pick<
  EngineStart,
  'unknownPoolIds' | 'unknownPools' | 'uncreatedPairs' | 'unsharedPairs'
>

/** All that is sought among pairs in one walk: of a large market they are read from the disk. */
async function pairsOf(engine: DoorReads): Promise<OpenPairs & { tradedPairs: number[] }> {
  const priced: PricedPairs = { ids: [], timesS: [] }
  const unknown: UnknownPools = { traded: [], quiet: [] }
  const uncreatedPairs: PairRecord[] = []
  const unsharedPairs: PairRecord[] = []
  await walk(engine, engine.pairCount(), (id) => {
    const hasPrice = engine.pairPriceRaw(id) !== 0
    if (hasPrice) {
      priced.ids.push(id)
      priced.timesS.push(engine.pairActivity(id).lastTradeAtS)
    }
    const kind = engine.pairKind(id)
    if (isUnknown(engine, id, kind)) (hasPrice ? unknown.traded : unknown.quiet).push(id)
    const isUncreated = engine.pairCreatedAtS(id) === 0 && !engine.isCreationSearched(id)
    if (uncreatedPairs.length < uncreatedMax && isUncreated)
      uncreatedPairs.push(engine.pairRecord(id))
    const hasShares = kind === 'constantProduct' && engine.isPairTrusted(id)
    if (unsharedPairs.length < unsharedMax && hasShares && engine.pairShares(id) === null)
      unsharedPairs.push(engine.pairRecord(id))
    return true
  })
  const tradedPairs = lastTraded(priced, poolsMax)
  return { ...unknownOf(engine, unknown), uncreatedPairs, unsharedPairs, tradedPairs }
}

/** By id. */
type UnknownPools = { traded: number[]; quiet: number[] }

/** To be asked for are those that somebody traded with, then the newest. */
function unknownOf(
  engine: DoorReads,
  { traded, quiet }: UnknownPools,
): Pick<EngineStart, 'unknownPoolIds' | 'unknownPools'> {
  const ids = [...quiet, ...traded]
  const unknownPools = ids.slice(-unknownPoolsMax).map((id) => engine.pairRecord(id))
  return { unknownPoolIds: Uint32Array.from(ids), unknownPools: unknownPools.reverse() }
}

/** It never had reserves: nobody reported what it holds, or it was made and holds nothing yet. */
function isUnknown(engine: DoorReads, id: number, kind: PoolKind): boolean {
  if (kind !== 'concentrated' && kind !== 'vault') return false
  const { initReserve0, initReserve1 } = engine.pairState(id)
  return initReserve0 === 0n && initReserve1 === 0n
}

/** Of concentrated pools the reserves are their balances, which their events do not tell. */
async function seenPoolsOf(engine: DoorReads, pairIds: readonly number[]): Promise<SeededPool[]> {
  const pools: SeededPool[] = []
  await walk(engine, pairIds.length, (place) => {
    const { record, reserve0, reserve1, priceRaw } = engine.pairState(pairIds[place]!)
    const isTold = record.kind === 'constantProduct'
    const reserves = isTold ? { reserve0, reserve1 } : { reserve0: null, reserve1: null }
    pools.push({ pool: record.address, ...reserves, priceRaw })
    return true
  })
  return pools
}

/** By id; `timesS`: when each traded last. */
type PricedPairs = { ids: number[]; timesS: number[] }

/** Those that traded last, at most so many, the last at the end; of the same time by id. */
function lastTraded({ ids, timesS }: PricedPairs, max: number): number[] {
  const times = Float64Array.from(timesS)
  // Among those of the time from which on they are kept, the newest pairs.
  const kept = keepLargest(times, max, (place) => -place)
  return kept.sort((a, b) => times[a]! - times[b]! || a - b).map((place) => ids[place]!)
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
