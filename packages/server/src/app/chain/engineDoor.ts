import type { Config } from '../../config/schema/schema.ts'
import type { Engine } from '../../engine/engine.ts'
import type { NativeUsd } from '../../model/finishedBlock.ts'
import type { EntryConsumer } from '../../model/logEntry.ts'
import type { PairRecord } from '../../model/pair.ts'
import type { TokenRecord } from '../../model/token.ts'
import { plausibilityLimitsDefault } from '../../resolve/plausibility.ts'
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
  | 'tokenState'
  | 'pairCount'
  | 'pairState'
  | 'pairShares'
  | 'isCreationSearched'
  | 'isTokenCreationSearched'
  | 'nativeUsd'
  | 'nativeAtS'
>

export function createEngineDoor(engine: DoorReads): EngineDoor {
  return {
    start: () => ({
      nextTokenId: engine.tokenCount(),
      nextPairId: engine.pairCount(),
      incompleteTokens: incompleteTokensOf(engine),
      unknownPools: unknownPoolsOf(engine),
      uncreatedPairs: uncreatedPairsOf(engine),
      uncreatedTokens: uncreatedTokensOf(engine),
      unsharedPairs: unsharedPairsOf(engine),
      seenPools: seenPoolsOf(engine),
    }),
    pairOf: (id) => engine.pairState(id).record,
    nativeUsd() {
      const usd = engine.nativeUsd()
      return usd === null ? null : { usd, atS: engine.nativeAtS() }
    },
  }
}

function incompleteTokensOf(engine: DoorReads): TokenRecord[] {
  const tokens: TokenRecord[] = []
  for (let id = 0; id < engine.tokenCount(); id += 1) {
    const { record, supply } = engine.tokenState(id)
    if (supply !== null && !supply.isComplete) tokens.push(record)
  }
  return tokens
}

/** Pools that never had reserves: nobody reported what they hold, or they were made and hold nothing yet. */
function unknownPoolsOf(engine: DoorReads): PairRecord[] {
  const pools: PairRecord[] = []
  for (let id = 0; id < engine.pairCount(); id += 1) {
    const { record, initReserve0, initReserve1 } = engine.pairState(id)
    const isAsked = record.kind === 'concentrated' || record.kind === 'vault'
    if (isAsked && initReserve0 === 0n && initReserve1 === 0n) pools.push(record)
  }
  return pools
}

/** Of concentrated pools the reserves are their balances, which their events do not tell. */
function seenPoolsOf(engine: DoorReads): SeededPool[] {
  const seen: { seed: SeededPool; tradedAtS: number }[] = []
  for (let id = 0; id < engine.pairCount(); id += 1) {
    const { record, reserve0, reserve1, priceRaw, lastTradeAtS } = engine.pairState(id)
    if (priceRaw === 0) continue
    const isTold = record.kind === 'constantProduct'
    const reserves = isTold ? { reserve0, reserve1 } : { reserve0: null, reserve1: null }
    seen.push({ seed: { pool: record.address, ...reserves, priceRaw }, tradedAtS: lastTradeAtS })
  }
  seen.sort((a, b) => a.tradedAtS - b.tradedAtS)
  return seen.slice(-plausibilityLimitsDefault.poolsMax).map(({ seed }) => seed)
}

function uncreatedPairsOf(engine: DoorReads): PairRecord[] {
  const pairs: PairRecord[] = []
  for (let id = 0; id < engine.pairCount(); id += 1) {
    const { record } = engine.pairState(id)
    if (record.createdAtS === 0 && !engine.isCreationSearched(id)) pairs.push(record)
  }
  return pairs
}

/** Of tokens that count: they have a main pair. */
function uncreatedTokensOf(engine: DoorReads): TokenRecord[] {
  const tokens: TokenRecord[] = []
  for (let id = 0; id < engine.tokenCount(); id += 1) {
    const { record, mainPairId, createdAtS } = engine.tokenState(id)
    const isWanted = mainPairId !== null && createdAtS === 0
    if (isWanted && !engine.isTokenCreationSearched(id)) tokens.push(record)
  }
  return tokens
}

function unsharedPairsOf(engine: DoorReads): PairRecord[] {
  const pairs: PairRecord[] = []
  for (let id = 0; id < engine.pairCount(); id += 1) {
    const { record } = engine.pairState(id)
    const hasShares = record.kind === 'constantProduct' && record.isTrusted
    if (hasShares && engine.pairShares(id) === null) pairs.push(record)
  }
  return pairs
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
