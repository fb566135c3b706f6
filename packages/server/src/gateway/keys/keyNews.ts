import type { Logger } from '../../lib/logger.ts'
import type { Metrics } from '../../lib/metrics.ts'
import type { KeyStore } from './keyAccess.ts'
import type { KeysInUse } from './keysInUse.ts'

type KeyNewsOptions = {
  store: Pick<KeyStore, 'watchKeys'>
  held: KeysInUse
  /** Some key is new or changed: what was not there may be there now. */
  onChange(): void
  /** Time between two readings of all keys in use while the store does not report changes. */
  trustMs: number
  logger: Logger
  metrics: Metrics
}

type KeyNews = {
  /** Is every change reported? */
  isTold(): boolean
  /** Reads one key in use again; when that fails, all of them are soon. */
  read(id: number): Promise<void>
  close(): Promise<void>
}

// However short the trust, the store has other work too.
const refreshMsMin = 100

/** Keeps the keys in use as the store has them: by reports of each change, or else by reading all of them at intervals. */
export function createKeyNews(options: KeyNewsOptions): KeyNews {
  const { store, held, onChange, trustMs, logger, metrics } = options
  let isLive = false
  let isMissed = false

  async function refresh(ids?: readonly number[]): Promise<void> {
    try {
      await held.refresh(ids)
      if (ids === undefined) isMissed = false
    } catch (error) {
      metrics.keyLookupFailuresTotal.inc()
      // Said once; the timer tries again.
      if (!isMissed) logger.warn({ msg: 'Could not read changed API keys', err: error })
      isMissed = true
    }
  }

  const watch = store.watchKeys({
    onChange(id) {
      onChange()
      if (held.has(id)) void refresh([id])
    },
    onState(isLiveNow) {
      isLive = isLiveNow
      onChange()
      // Also when it ends: what was changed since it last carried anything was not told.
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
    isTold: () => isLive && !isMissed,
    read: (id) => refresh([id]),
    async close() {
      clearInterval(timer)
      await watch.close()
    },
  }
}
