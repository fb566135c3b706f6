// The market of the upgrade fixtures: its entries, and everything that a reader can ask of it.
import { type MarketReads, windowsS } from '../../packages/server/src/engine/marketReads.ts'
import type { ChainProfile } from '../../packages/server/src/model/chainProfile.ts'
import type { FinishedBlock, FinishedEvent } from '../../packages/server/src/model/finishedBlock.ts'
import { klineIntervalsS } from '../../packages/server/src/model/klines/kline.ts'
import type { LogEntry } from '../../packages/server/src/model/logEntry.ts'
import type { PairRecord } from '../../packages/server/src/model/pair.ts'
import { BlockGenerator, generatorProfile } from './blockGenerator.ts'
import { trendingOf } from './trendingOf.ts'

export const upgradeProfile: ChainProfile = { ...generatorProfile, reorgDepthMax: 8 }

/**
 * A low limit, so that some pairs have more wallets than are counted exactly. The plausibility
 * limit is off, since supplies of the generator are worth more than all money.
 */
export const upgradeLimits = { makersExactMax: 12, worthUsdMax: Number.POSITIVE_INFINITY }

/** Number of blocks before the snapshot; `blocksAfter` follow it. */
const blocksBefore = 96
const blocksAfter = 24
const wideReserve = 2n ** 200n + 12_345n

export type UpgradeMarket = {
  /**
   * Entries of every kind: launches, graduations, all kinds of pools, late decimals, wide reserves,
   * reverts.
   */
  entries: LogEntry[]
  /** Number of entries before the snapshot; all blocks are final there. */
  snapshotSeq: number
}

export function playUpgradeMarket(seed: number): UpgradeMarket {
  const generator = new BlockGenerator({ seed, wallets: 90, eventsMax: 20, standInShare: 0.25 })
  const entries: LogEntry[] = []
  const standing: FinishedBlock[] = []
  const pairsOf = () => standing.flatMap(({ pairs }) => pairs)
  const finalize = (depth: number) => {
    const { number, hash } = standing.at(-1 - depth)!.ref
    entries.push({ type: 'finalize', ref: { number, hash } })
  }
  let snapshotSeq = 0
  for (let made = 0; made < blocksBefore + blocksAfter; made += 1) {
    const block = dressed(generator.next(), pairsOf(), made)
    standing.push(block)
    entries.push({ type: 'commit', block })
    const facts = made % 4 === 3 ? generator.late() : null
    if (facts !== null) entries.push({ type: 'late', facts })
    for (let left = made % 20 === 19 ? 2 : 0; left > 0; left -= 1) {
      entries.push({ type: 'revert', ref: generator.revert() })
      standing.pop()
    }
    if (made % 12 === 11) finalize(6)
    if (made !== blocksBefore - 1) continue
    finalize(0)
    snapshotSeq = entries.length
  }
  return { entries, snapshotSeq }
}

/**
 * Adds what the generator does not create: concentrated pools, unknown fees, reserves of more than
 * 156 bits.
 */
function dressed(block: FinishedBlock, known: readonly PairRecord[], made: number): FinishedBlock {
  const pairs = block.pairs.map((pair): PairRecord => {
    if (pair.kind !== 'constantProduct' || pair.id % 3 !== 2) return pair
    return { ...pair, kind: 'concentrated', amm: 'uniswapv3', factory: 'factory3', feePpm: 500 }
  })
  const isWide = made % 9 === 5 || made === blocksBefore - 1
  const wide = isWide ? known.findLast(({ isTrusted }) => !isTrusted) : undefined
  const events: FinishedEvent[] = [...block.events]
  if (wide !== undefined)
    events.push({
      type: 'sync',
      index: events.length,
      pairId: wide.id,
      reserve0: wideReserve + BigInt(made),
      reserve1: 2n ** 255n - 7n,
      priceRaw: Number(2n ** 255n - 7n) / Number(wideReserve),
    })
  return { ...block, pairs, events }
}

/** Every answer of the engine about its market. */
export function readMarket(engine: MarketReads): Record<string, unknown> {
  const nowS = engine.head()!.timeS
  const ids = (count: number) => Array.from({ length: count }, (_, id) => id)
  return {
    head: engine.head(),
    finalizedNumber: engine.finalizedNumber(),
    nativeUsd: engine.nativeUsd(),
    nativeAtS: engine.nativeAtS(),
    trending: trendingOf(engine).slice(0, 1_000),
    launched: (['in', 'almost', 'out'] as const).map((state) => engine.launched(state)),
    search: ['pepe', 'usd', 'token-1', 'coin'].map((word) => engine.search(word, 100)),
    tokens: ids(engine.tokenCount()).map((id) => ({
      state: engine.tokenState(id),
      dayOpenUsd: engine.tokenDayOpenUsd(id, nowS),
      activity: engine.tokenActivity(id),
      windows: windowsS.map((_, window) => engine.tokenWindow(id, window, nowS)),
    })),
    pairs: ids(engine.pairCount()).map((id) => ({
      state: engine.pairState(id),
      dayOpenUsd: engine.pairDayOpenUsd(id, nowS),
      activity: engine.pairActivity(id),
      windows: windowsS.map((_, window) => engine.pairWindow(id, window, nowS)),
      klines: klineIntervalsS.map((_, interval) => engine.openKline(id, interval)),
    })),
  }
}
