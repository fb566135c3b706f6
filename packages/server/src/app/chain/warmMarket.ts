import type { Worker } from 'node:worker_threads'
import { ImageDamagedError, ReorgTooDeepError } from '../../engine/errors.ts'
import type { Logger } from '../../lib/logger.ts'
import { decodeEntry } from '../../log/entryCodec.ts'
import { LogGapError } from '../../log/errors.ts'
import type { ChainProfile } from '../../model/chainProfile.ts'
import type { LogEntry } from '../../model/logEntry.ts'
import type { MarketEvent } from '../../model/marketEvent.ts'
import type { Store } from '../../store/openStore.ts'
import {
  type LoadedMarket,
  type LoadOptions,
  type LogStore,
  loadEngine,
  logEntriesAfter,
} from '../snapshots/loadEngine.ts'

type WarmMarketOptions = {
  store: LogStore & Pick<Store, 'loadCursor'>
  chainId: number
  profile: ChainProfile
  logger: Logger
  kept?: Pick<LoadOptions, 'limits' | 'afterSeq'> | undefined
} & Pick<LoadOptions, 'onDamaged'>

/** A market in memory that follows the stored log. */
export type WarmMarket = {
  /**
   * Applies everything stored since the last call and returns the market. The first call loads it.
   */
  catchUp(): Promise<LoadedMarket>
  /**
   * Applies entries that are about to be stored, after the last entry of a caught-up market, and
   * returns their events. Null: the entries revert more than memory holds; `catchUp` reloads the
   * market once they are stored.
   */
  apply(entries: readonly { bytes: Uint8Array }[]): readonly MarketEvent[] | null
}

/** A warm market and the worker that indexes its chain as soon as this process becomes leader. */
export type StandbyMarket = WarmMarket & { thread: Worker }

/** Markets of a standby indexer, by chain id. */
export type WarmMarkets = Map<number, StandbyMarket>

/** Reads nothing until the first call. */
export function createWarmMarket(options: WarmMarketOptions): WarmMarket {
  const { store, chainId, profile, logger, kept, onDamaged } = options
  const chain = profile.name
  /** The market in memory; null: not loaded yet. */
  let market: LoadedMarket | null = null

  async function load(): Promise<LoadedMarket> {
    market = await loadEngine(store, chainId, profile, logger, { ...kept, onDamaged })
    return market
  }

  async function follow(held: LoadedMarket): Promise<LoadedMarket> {
    for await (const { seq, entry } of logEntriesAfter(store, { chainId, chain, seq: held.seq }))
      applyTo(held, seq, entry)
    return held
  }

  return {
    async catchUp() {
      const { seq } = await store.loadCursor(chainId)
      // The market is ahead of the store: a lost database may have been replaced by an older copy.
      if (market === null || market.seq > seq) return await load()
      try {
        return await follow(market)
      } catch (error) {
        // A fresh load handles both: it skips blocks that the log reverts, and starts at a snapshot
        // if the log was trimmed.
        const isLoadable = error instanceof ReorgTooDeepError || error instanceof LogGapError
        // After image damage the market may contain half an entry.
        if (isLoadable || error instanceof ImageDamagedError) market = null
        if (!isLoadable) throw error
        return await load()
      }
    },
    apply(entries) {
      if (market === null) return null
      const held = market
      try {
        return entries.flatMap(({ bytes }) => [...applyTo(held, held.seq + 1, decodeEntry(bytes))])
      } catch (error) {
        market = null
        if (error instanceof ReorgTooDeepError) return null
        throw error
      }
    },
  }
}

function applyTo(market: LoadedMarket, seq: number, entry: LogEntry): readonly MarketEvent[] {
  const events = market.engine.apply(entry)
  market.recent.applied({ seq, entry, events })
  market.recent.persisted(seq)
  market.seq = seq
  return events
}
