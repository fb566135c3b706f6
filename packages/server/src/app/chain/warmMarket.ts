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
} from './loadEngine.ts'

type WarmMarketOptions = {
  store: LogStore & Pick<Store, 'loadCursor'>
  chainId: number
  profile: ChainProfile
  logger: Logger
  kept?: Pick<LoadOptions, 'limits' | 'afterSeq'> | undefined
} & Pick<LoadOptions, 'onDamaged'>

/** A market that is kept as the store has it. */
export type WarmMarket = {
  /** The market as of the last entry that is stored: loaded the first time, then by what was stored since. */
  catchUp(): Promise<LoadedMarket>
  /**
   * What entries do that are stored next, behind the last one of a market that has caught up. Null: they revert more than it holds, and it is
   * loaded again once they are stored.
   */
  apply(entries: readonly { bytes: Uint8Array }[]): readonly MarketEvent[] | null
}

/** With the thread that reads its chain as soon as this process leads. */
export type StandbyMarket = WarmMarket & { thread: Worker }

/** Those that an indexer has which stands by, by the chain's number in the store. */
export type WarmMarkets = Map<number, StandbyMarket>

/** Nothing is read before it is asked for. */
export function createWarmMarket(options: WarmMarketOptions): WarmMarket {
  const { store, chainId, profile, logger, kept, onDamaged } = options
  const chain = profile.name
  /** Null: to be loaded. */
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
      // A database that was lost may be replaced by one that has less.
      if (market === null || market.seq > seq) return await load()
      try {
        return await follow(market)
      } catch (error) {
        // Loading passes over blocks that the log reverts, and begins with a snapshot where the log was trimmed.
        const isLoadable = error instanceof ReorgTooDeepError || error instanceof LogGapError
        // Half an entry may be in one whose image is damaged.
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
