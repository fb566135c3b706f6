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
  /** Whose holders are not counted completely yet. */
  incompleteTokens: readonly TokenRecord[]
  /** Concentrated pools whose balances nobody reported yet. */
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
  /** For the chain's own thread. */
  start(): EngineStart
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
const { creationSearchesMax, shareQueueMax } = resolverLimitsDefault
/** Of more the thread would not take notice: it looks for them after its next start. Some that it leaves out are among them. */
const uncreatedMax = 2 * creationSearchesMax
const unsharedMax = shareQueueMax

export function createEngineDoor(engine: DoorReads): EngineDoor {
  return {
    start: () => ({
      nextTokenId: engine.tokenCount(),
      nextPairId: engine.pairCount(),
      ...tokensOf(engine),
      ...pairsOf(engine),
      seenPools: seenPoolsOf(engine),
    }),
    pairOf: (id) => engine.pairRecord(id),
    nativeUsd() {
      const usd = engine.nativeUsd()
      return usd === null ? null : { usd, atS: engine.nativeAtS() }
    },
  }
}

/** One walk over all of them, with as little of each as tells: a start waits for it. */
function tokensOf(engine: DoorReads): Pick<EngineStart, 'incompleteTokens' | 'uncreatedTokens'> {
  const incompleteTokens: TokenRecord[] = []
  const uncreatedTokens: TokenRecord[] = []
  for (let id = 0; id < engine.tokenCount(); id += 1) {
    engine.settleAt(id)
    if (engine.isSupplyIncomplete(id)) incompleteTokens.push(engine.tokenRecord(id))
    if (uncreatedTokens.length < uncreatedMax && isUncreated(engine, id))
      uncreatedTokens.push(engine.tokenRecord(id))
  }
  return { incompleteTokens, uncreatedTokens }
}

/** Of tokens that count: they have a main pair. */
function isUncreated(engine: DoorReads, tokenId: number): boolean {
  if (engine.isTokenCreationSearched(tokenId) || engine.mainPairOf(tokenId) === null) return false
  return !engine.launchOf(tokenId)?.createdAtS
}

function pairsOf(
  engine: DoorReads,
): Pick<EngineStart, 'unknownPools' | 'uncreatedPairs' | 'unsharedPairs'> {
  const unknownPools: PairRecord[] = []
  const uncreatedPairs: PairRecord[] = []
  const unsharedPairs: PairRecord[] = []
  for (let id = 0; id < engine.pairCount(); id += 1) {
    engine.settleAt(id)
    const kind = engine.pairKind(id)
    if (isUnknown(engine, id, kind)) unknownPools.push(engine.pairRecord(id))
    const isUncreated = engine.pairCreatedAtS(id) === 0 && !engine.isCreationSearched(id)
    if (uncreatedPairs.length < uncreatedMax && isUncreated)
      uncreatedPairs.push(engine.pairRecord(id))
    const hasShares = kind === 'constantProduct' && engine.isPairTrusted(id)
    if (unsharedPairs.length < unsharedMax && hasShares && engine.pairShares(id) === null)
      unsharedPairs.push(engine.pairRecord(id))
  }
  return { unknownPools, uncreatedPairs, unsharedPairs }
}

/** It never had reserves: nobody reported what it holds, or it was made and holds nothing yet. */
function isUnknown(engine: DoorReads, id: number, kind: PoolKind): boolean {
  if (kind !== 'concentrated' && kind !== 'vault') return false
  const { initReserve0, initReserve1 } = engine.pairState(id)
  return initReserve0 === 0n && initReserve1 === 0n
}

/** Of concentrated pools the reserves are their balances, which their events do not tell. */
function seenPoolsOf(engine: DoorReads): SeededPool[] {
  const pairIds = lastTraded(engine, poolsMax)
  return pairIds.map((id) => {
    const { record, reserve0, reserve1, priceRaw } = engine.pairState(id)
    const isTold = record.kind === 'constantProduct'
    const reserves = isTold ? { reserve0, reserve1 } : { reserve0: null, reserve1: null }
    return { pool: record.address, ...reserves, priceRaw }
  })
}

/** Of pairs with a price those that traded last, at most so many, the last at the end; of the same time by id. */
function lastTraded(engine: DoorReads, max: number): number[] {
  const ids: number[] = []
  const timesS: number[] = []
  for (let id = 0; id < engine.pairCount(); id += 1) {
    engine.settleAt(id)
    if (engine.pairPriceRaw(id) === 0) continue
    ids.push(id)
    timesS.push(engine.pairActivity(id).lastTradeAtS)
  }
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
