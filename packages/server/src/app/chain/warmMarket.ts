import { setTimeout as delay } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import type { Config } from '../../config/schema/schema.ts'
import { ImageDamagedError, ReorgTooDeepError } from '../../engine/errors.ts'
import type { ChainSetup } from '../../kinds/chainSetup.ts'
import type { AppError } from '../../lib/errors.ts'
import type { Logger } from '../../lib/logger.ts'
import { decodeEntry } from '../../log/entryCodec.ts'
import { LogGapError } from '../../log/errors.ts'
import type { ChainProfile } from '../../model/chainProfile.ts'
import type { LogEntry } from '../../model/logEntry.ts'
import type { MarketEvent } from '../../model/marketEvent.ts'
import type { StoreConnection } from '../../store/connection.ts'
import type { Store } from '../../store/openStore.ts'
import { readSchema } from '../../store/schema.ts'
import {
  type LoadedMarket,
  type LoadOptions,
  type LogStore,
  loadEngine,
  logEntriesAfter,
} from '../snapshots/loadEngine.ts'
import { prepareChainThread } from '../threads/startChainThread.ts'
import { configuredSetups } from './configuredChains.ts'

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

type WarmStandbyOptions = {
  config: Config
  store: Store
  connection: StoreConnection
  /** Filled with the markets of the configured chains. */
  warmMarkets: WarmMarkets
  logger: Logger
  signal: AbortSignal
  onFatal(error: AppError): void
}

// Short enough that few entries are left to apply at a takeover, and cheap for the database.
const followEveryMs = 250

/**
 * Keeps the markets of a standby indexer up to date with the store. `stop` resolves when the
 * current round ends.
 */
export function startWarmStandby(options: WarmStandbyOptions): { stop(): Promise<void> } {
  const { config, connection, logger } = options
  const stopping = new AbortController()
  const signal = AbortSignal.any([stopping.signal, options.signal])
  const followers = configuredSetups(config).map((setup) => createFollower(options, setup))

  async function follow(): Promise<void> {
    const { found, known } = await readSchema(connection)
    // With another schema version read nothing; a takeover then loads markets like a fresh start.
    if (found !== known) return
    for (const followOne of followers) if (!signal.aborted) await followOne()
  }

  async function run(): Promise<void> {
    let isFailing = false
    while (!signal.aborted) {
      try {
        await follow()
        isFailing = false
      } catch (error) {
        if (!isFailing) logger.warn({ msg: 'Standby failed to follow the store', err: error })
        isFailing = true
      }
      await delay(followEveryMs, undefined, { signal }).catch(() => undefined)
    }
  }

  const running = run()
  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}

function createFollower(
  { store, warmMarkets, logger, onFatal }: WarmStandbyOptions,
  { storeName, profile, kind }: ChainSetup,
): () => Promise<void> {
  let heldId: number | null = null
  return async () => {
    const chainId = await store.findChain(storeName)
    // A finished backfill may have replaced the chain under a new id.
    if (heldId !== null && heldId !== chainId) forget(warmMarkets, heldId)
    if (chainId === null) return
    const market = warmMarkets.get(chainId) ?? {
      ...createWarmMarket({ store, chainId, profile, logger, onDamaged: onFatal }),
      thread: prepareChainThread(kind),
    }
    const { seq } = await market.catchUp()
    if (heldId !== chainId) logger.info({ msg: 'Standby market loaded', chain: profile.name, seq })
    heldId = chainId
    warmMarkets.set(chainId, market)
  }
}

function forget(markets: WarmMarkets, chainId: number): void {
  void markets.get(chainId)?.thread.terminate()
  markets.delete(chainId)
}
