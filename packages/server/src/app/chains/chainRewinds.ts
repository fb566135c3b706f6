import type { Ancestor } from '../../chain/errors.ts'
import type { ChainSetup } from '../../kinds/chainSetup.ts'
import type { AppError } from '../../lib/errors.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Metrics } from '../../lib/metrics.ts'
import type { Store } from '../../store/openStore.ts'
import type { Retention } from '../../store/retention.ts'
import type { ChainRuntime } from '../chain/chainRuntime.ts'
import { rewindStore } from '../chain/rewindStore.ts'
import { ChainStoppedError } from '../errors.ts'

export type ChainRewindsOptions = {
  store: Store
  retention: Partial<Retention>
  logger: Logger
  metrics: Metrics
  open(setup: ChainSetup): Promise<ChainRuntime>
  start(runtime: ChainRuntime, setup: ChainSetup): Promise<void>
  close(name: string): Promise<void>
  onFatal(error: AppError): void
}

/** Reorgs that go deeper than memory: each reverts a chain's newest blocks in the store. */
type ChainRewinds = {
  /**
   * Closes the chain's runtime, reverts the store down to the ancestor, and opens the chain again
   * as a restart would.
   */
  begin(chainId: number, ancestor: Ancestor, setup: ChainSetup): void
  /** Resolves when no rewind of this chain is running. */
  ended(name: string): Promise<void>
  /** Reopens no more chains; resolves when running rewinds have ended. */
  stop(): Promise<void>
}

export function createChainRewinds(options: ChainRewindsOptions): ChainRewinds {
  const { store, retention, logger, metrics, open, start, close, onFatal } = options
  const running = new Map<string, Promise<void>>()
  let isStopped = false

  async function rewind(chainId: number, ancestor: Ancestor, setup: ChainSetup): Promise<void> {
    const chain = setup.profile.name
    await close(chain)
    if (isStopped) return
    const blocks = await rewindStore({ store, chainId, chain, retention, ancestor, logger })
    metrics.revertsTotal.inc({ chain }, blocks)
    if (isStopped) return
    await start(await open(setup), setup)
  }

  return {
    begin(chainId, ancestor, setup) {
      const chain = setup.profile.name
      const ending = rewind(chainId, ancestor, setup)
        .catch((cause: unknown) => onFatal(new ChainStoppedError({ chain, cause })))
        .finally(() => running.delete(chain))
      running.set(chain, ending)
    },
    async ended(name) {
      await running.get(name)
    },
    async stop() {
      isStopped = true
      await Promise.all(running.values())
    },
  }
}
