import { setTimeout as delay } from 'node:timers/promises'
import type { Ancestor } from '../../chain/errors.ts'
import type { ChainSetup } from '../../kinds/chainSetup.ts'
import type { AppError } from '../../lib/errors.ts'
import type { Logger } from '../../lib/logger.ts'
import { createMetrics, type Metrics } from '../../lib/metrics.ts'
import type { Store } from '../../store/openStore.ts'
import type { Retention } from '../../store/retention.ts'
import {
  type ChainRuntime,
  type ChainRuntimeOptions,
  openChainRuntime,
} from '../chain/chainRuntime.ts'
import { rewindStore } from '../chain/rewindStore.ts'

/** Options that the opener of an unserved chain must provide. */
type UnservedParts = Pick<ChainRuntimeOptions, 'mayApply' | 'onStopped' | 'onRewind'>

export type OpenUnservedRuntime = (setup: ChainSetup, parts: UnservedParts) => Promise<ChainRuntime>

type SharedOptions = Omit<
  ChainRuntimeOptions,
  'kind' | 'storeName' | 'profile' | 'startBlock' | 'headLimits' | 'onStopped' | 'onRewind'
>

// Falling behind is normal for a backfill, so it logs no warning.
const headLimits = { aheadSMax: Number.POSITIVE_INFINITY, growthSMax: Number.POSITIVE_INFINITY }

/**
 * Opens chains that the gateway does not serve. Their metrics go to a separate registry, or they
 * would be mistaken for those of the live chain.
 */
export function createUnservedOpener(shared: SharedOptions): OpenUnservedRuntime {
  let unread: Metrics | null = null
  return (setup, parts) => {
    unread ??= createMetrics()
    return openChainRuntime({
      ...shared,
      ...setup,
      ...parts,
      headLimits,
      metrics: unread,
      recentOptions: { limits: { recentBlocksMax: 0 } },
      readyOnce: new Set(),
    })
  }
}

export type UnservedRuntimeOptions = {
  setup: ChainSetup
  openRuntime: OpenUnservedRuntime
  mayApply(number: number): boolean
  store: Store
  retention: Partial<Retention>
  logger: Logger
  signal: AbortSignal
}

/** An unserved chain that is reopened whenever it stops. */
export type UnservedRuntime = {
  /** Returns the open runtime; null: not open. */
  current(): ChainRuntime | null
  hasFailed(): boolean
  /** Reopens the chain if needed; null: the signal aborted first. */
  ensure(): Promise<ChainRuntime | null>
  stop(): Promise<void>
}

// Delay before reopening after a fault, such as a failing node.
const retryMs = 10_000

export function createUnservedRuntime(options: UnservedRuntimeOptions): UnservedRuntime {
  const { setup, mayApply, store, retention, logger, signal } = options
  const { name: chain } = setup.profile
  let runtime: ChainRuntime | null = null
  let fault: { ancestor: Ancestor } | { error: AppError } | null = null

  async function open(): Promise<void> {
    fault = null
    runtime = await options.openRuntime(setup, {
      mayApply,
      onStopped(error) {
        fault = { error }
      },
      onRewind(ancestor) {
        fault = { ancestor }
      },
    })
    await runtime.start(setup)
  }

  async function stop(): Promise<void> {
    const ending = runtime
    runtime = null
    await ending?.stop()
  }

  /**
   * Brings the stored chain into a state that can be reopened: reverts the store after a deep
   * reorg, or waits after an error.
   */
  async function recover({ chainId }: ChainRuntime): Promise<void> {
    const found = fault!
    await stop()
    if ('ancestor' in found) {
      const { ancestor } = found
      await rewindStore({ store, chainId, chain, retention, ancestor, logger })
      return
    }
    logger.warn({ msg: 'Backfill stopped; restarting it', chain, err: found.error })
    await delay(retryMs, undefined, { signal }).catch(() => undefined)
  }

  return {
    current: () => runtime,
    hasFailed: () => fault !== null,
    async ensure() {
      if (runtime !== null && fault !== null) await recover(runtime)
      if (!signal.aborted && runtime === null) await open()
      return signal.aborted ? null : runtime
    },
    stop,
  }
}
