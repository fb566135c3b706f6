import type { Logger } from '../../lib/logger.ts'
import type { Metrics } from '../../lib/metrics.ts'
import type { KeyStore } from './keyAccess.ts'
import type { KeysInUse } from './keysInUse.ts'

type KeyWatcherOptions = {
  store: Pick<KeyStore, 'watchKeys'>
  keysInUse: KeysInUse
  /**
   * Called when any key was created or changed: a text that was not a key before may be a key now.
   */
  onChange(): void
  /** Time between two rereads of all keys in use while the store does not report changes. */
  trustMs: number
  logger: Logger
  metrics: Metrics
}

type KeyWatcher = {
  /** Returns whether the store currently reports every change. */
  isReportingChanges(): boolean
  /** Rereads one key in use. After a failure, all keys in use are reread soon. */
  reread(id: number): Promise<void>
  close(): Promise<void>
}

// Minimum time between two rereads, however short `trustMs`, because the store has other work too.
const refreshMsMin = 100

/**
 * Keeps the keys in use equal to the store: by notifications of changes, or else by rereading all
 * of them at intervals.
 */
export function createKeyWatcher(options: KeyWatcherOptions): KeyWatcher {
  const { store, keysInUse, onChange, trustMs, logger, metrics } = options
  let isLive = false
  let isMissed = false

  async function refresh(ids?: readonly number[]): Promise<void> {
    try {
      await keysInUse.refresh(ids)
      if (ids === undefined) isMissed = false
    } catch (error) {
      metrics.keyLookupFailuresTotal.inc()
      // Logged once per outage; the timer retries.
      if (!isMissed) logger.warn({ msg: 'Could not read changed API keys', err: error })
      isMissed = true
    }
  }

  const watch = store.watchKeys({
    onChange(id) {
      onChange()
      if (keysInUse.has(id)) void refresh([id])
    },
    onState(isLiveNow) {
      isLive = isLiveNow
      onChange()
      // All keys are also reread when notifications end: changes after the last working moment were
      // not reported.
      void refresh()
    },
  })
  const timer = setInterval(
    () => {
      if (!isLive || isMissed) void refresh()
    },
    Math.max(trustMs, refreshMsMin),
  )
  timer.unref()
  return {
    isReportingChanges: () => isLive && !isMissed,
    reread: (id) => refresh([id]),
    async close() {
      clearInterval(timer)
      await watch.close()
    },
  }
}
