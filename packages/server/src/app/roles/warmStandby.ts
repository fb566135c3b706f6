import { setTimeout as delay } from 'node:timers/promises'
import type { Config } from '../../config/schema/schema.ts'
import type { ChainSetup } from '../../kinds/chainSetup.ts'
import type { AppError } from '../../lib/errors.ts'
import type { Logger } from '../../lib/logger.ts'
import type { StoreConnection } from '../../store/connection.ts'
import type { Store } from '../../store/openStore.ts'
import { readSchema } from '../../store/schema.ts'
import { configuredSetups } from '../chain/configuredChains.ts'
import { createWarmMarket, type WarmMarkets } from '../chain/warmMarket.ts'
import { prepareChainThread } from '../threads/startChainThread.ts'

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
