import { setTimeout as delay } from 'node:timers/promises'
import type { Config } from '../../config/schema/schema.ts'
import type { ChainSetup } from '../../kinds/chainSetup.ts'
import type { AppError } from '../../lib/errors.ts'
import type { Logger } from '../../lib/logger.ts'
import type { StoreConnection } from '../../store/connection.ts'
import type { Store } from '../../store/openStore.ts'
import { readSchema } from '../../store/schema.ts'
import { createWarmMarket, type WarmMarkets } from '../chain/warmMarket.ts'
import { setupsOf } from '../chains/configuredChains.ts'
import { prepareChainThread } from '../threads/startChainThread.ts'

type WarmStandbyOptions = {
  config: Config
  store: Store
  connection: StoreConnection
  /** Filled with the markets of the chains. */
  warmMarkets: WarmMarkets
  logger: Logger
  signal: AbortSignal
  onFatal(error: AppError): void
}

// Few entries are left to be applied by whoever takes over, and the database has little to do for it.
const followEveryMs = 250

/** Keeps the market of every chain as the store has it, for an indexer that stands by. Ends when what is under way is done. */
export function startWarmStandby(options: WarmStandbyOptions): { stop(): Promise<void> } {
  const { config, connection, logger } = options
  const stopping = new AbortController()
  const signal = AbortSignal.any([stopping.signal, options.signal])
  const followers = setupsOf(config).map((setup) => createFollower(options, setup))

  async function follow(): Promise<void> {
    const { found, known } = await readSchema(connection)
    // Of another version nothing is read; it takes over as one that was just started.
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
        if (!isFailing) logger.warn({ msg: 'Could not follow while standing by', err: error })
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
    // Another history may have taken the chain's place.
    if (heldId !== null && heldId !== chainId) forget(warmMarkets, heldId)
    if (chainId === null) return
    const market = warmMarkets.get(chainId) ?? {
      ...createWarmMarket({ store, chainId, profile, logger, onDamaged: onFatal }),
      thread: prepareChainThread(kind),
    }
    const { seq } = await market.catchUp()
    if (heldId !== chainId)
      logger.info({ msg: 'Stands by with the market in memory', chain: profile.name, seq })
    heldId = chainId
    warmMarkets.set(chainId, market)
  }
}

function forget(markets: WarmMarkets, chainId: number): void {
  void markets.get(chainId)?.thread.terminate()
  markets.delete(chainId)
}
