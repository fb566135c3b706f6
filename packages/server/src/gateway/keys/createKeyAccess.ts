import { randomUUID } from 'node:crypto'
import type { Logger } from '../../lib/logger.ts'
import type { Metrics } from '../../lib/metrics.ts'
import type { KeyWithUsage } from '../../store/keys/keys.ts'
import type { Usage } from '../../store/keys/usage.ts'
import type { Clock } from '../chain/gatewayChain.ts'
import { RequestError } from '../ground/errors.ts'
import { createLruMap } from '../ground/lruMap.ts'
import type { ActiveKey } from './activeKey.ts'
import { hashApiKey } from './apiKey.ts'
import type { Caller, KeyAccess, KeyStore } from './keyAccess.ts'
import { createKeyErrors, createKeyLookup, type KeyLookup } from './keyLookup.ts'
import { KeySockets } from './keySockets.ts'
import { createKeysInUse, type KeysInUse } from './keysInUse.ts'
import { creditPeriodAt, dayAt, type Plan } from './plan.ts'
import { createUsageBook, type UsageBook } from './usage/usageBook.ts'
import { createUsageFlusher } from './usage/usageFlusher.ts'

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

export type KeyAccessLimits = {
  /** Keys cached in memory. As many texts that are not keys are cached too. */
  keysMax: number
  /** Time for which cached keys are trusted while the store does not report changes. */
  trustMs: number
  /** Time that one lookup of a key may take. */
  lookupMsMax: number
  /** Keys that may wait for their lookup at once. */
  lookupsMax: number
  /** Time between two writes of usage. */
  flushMs: number
}

/** Limits of key checks that no config key changes. */
export const fixedKeyLimits = {
  keysMax: 10_000,
  trustMs: 3_000,
  lookupsMax: 1_000,
  // A killed process loses at most the usage of this time.
  flushMs: 500,
} as const satisfies Partial<KeyAccessLimits>

type KeyAccessOptions = {
  store: KeyStore
  plans: ReadonlyMap<string, Plan>
  clock: Clock
  logger: Logger
  metrics: Metrics
  limits: KeyAccessLimits
  /**
   * Returns false while the service starts and may still add keys to the store. @default always
   * true
   */
  isSeeded?: (() => boolean) | undefined
  /**
   * Whether other processes serve the same keys, and share their sockets and credits. @default
   * false
   */
  isShared?: boolean | undefined
}

/** `KeyAccess` in operation: it also counts sockets and usage, and must be closed. */
export type RunningKeyAccess = KeyAccess & {
  /** Open WebSockets of each key. */
  readonly sockets: KeySockets
  /**
   * Returns what a key's account used in this credit period, including usage not written yet.
   * Rejects with `unavailable`.
   */
  usageOf(holder: Caller): Promise<Usage[]>
  /** Writes usage now. Resolves to false if the store did not take it. */
  flush(): Promise<boolean>
  /** Stops watching the store and writes the remaining usage. */
  close(): Promise<void>
}

// Texts longer than any valid key are refused without a lookup.
const keyCharsMax = 512

/**
 * Identifies callers by their API key, from memory for every key in use. The store reports changes
 * at once; while it cannot, all keys in use are reread at intervals. Keys in use keep working while
 * the store does not answer.
 */
export function createKeyAccess(options: KeyAccessOptions): RunningKeyAccess {
  const { store, clock, logger, metrics, limits } = options
  const refuse = createKeyErrors(metrics)
  const book = createUsageBook()
  const session = randomUUID()
  const { isShared = false } = options
  const sockets = new KeySockets(isShared ? takeSocket : null)
  const sharing = { book, sockets, session, isShared, everyMs: limits.flushMs }
  const flusher = createUsageFlusher({ ...options, ...sharing })
  const onRefused = (reason: string) => metrics.refusedRequestsTotal.inc({ reason })
  const { flushAndReadSums, peers } = flusher
  const keysInUse = createKeysInUse({ ...options, book, onRefused, flushAndReadSums, peers })
  const period = () => creditPeriodAt(clock.nowMs()).number
  const { lookupMsMax, lookupsMax, trustMs } = limits
  const lookup = createKeyLookup({ store, period, lookupMsMax, waitingMax: lookupsMax })
  const find = createFailsafeLookup(options, lookup)
  /** Holders by the text of their key, so that a frequent caller's key is not even hashed. */
  const known = createLruMap<ActiveKey>(limits.keysMax)
  /**
   * Texts that are not keys, with the time of their lookup. Kept apart from keys, so that guesses
   * evict no key.
   */
  const unknown = createLruMap<number>(limits.keysMax)
  let changes = 0
  const onChange = () => {
    changes += 1
    unknown.clear()
  }
  const news = createKeyWatcher({ store, keysInUse, onChange, trustMs, logger, metrics })

  async function takeSocket(socket: { keyId: number; socketsMax: number }) {
    if (!peers.isUsageKnown()) return null
    return await store.takeSocket({ session, ...socket }).catch((error) => {
      logger.debug({ msg: 'Could not count a WebSocket of an API key', err: error })
      return null
    })
  }

  function checked(holder: ActiveKey): ActiveKey {
    const fault = holder.fault()
    if (fault === null) return holder
    throw fault === 'expired_key' ? refuse.expired() : refuse.revoked()
  }

  async function lookUp(text: string): Promise<ActiveKey> {
    const changesBefore = changes
    let found = await find(text)
    // A change arrived during the lookup, which may have missed it: the key was just created or
    // revoked.
    if (changes !== changesBefore) found = await find(text)
    if (found === null) {
      if (options.isSeeded?.() === false) throw refuse.early()
      if (changes === changesBefore) unknown.set(text, clock.nowMs())
      throw refuse.unknown()
    }
    const holder = keysInUse.activate(found)
    known.set(text, holder)
    // Changes of the key show from now on. A change since the lookup has to be read.
    if (changes !== changesBefore) await news.reread(found.id)
    return checked(holder)
  }

  function identify(text: string | undefined): ActiveKey | Promise<ActiveKey> {
    if (text === undefined || text === '') throw refuse.missing()
    if (text.length > keyCharsMax) throw refuse.unknown()
    const holder = known.get(text)
    if (holder !== undefined) return checked(holder)
    const askedMs = unknown.get(text)
    if (askedMs !== undefined && (news.isReportingChanges() || clock.nowMs() - askedMs < trustMs))
      throw refuse.unknown()
    return lookUp(text)
  }

  async function close(): Promise<void> {
    await news.close()
    await flusher.close()
  }

  const knows = (text?: string) => known.get(text ?? '') !== undefined
  const usageOf = createUsageReader(options, book)
  return { knows, identify, usageOf, sockets, flush: flusher.flush, close }
}

function createFailsafeLookup({ logger, metrics }: KeyAccessOptions, lookup: KeyLookup) {
  return async (text: string): Promise<KeyWithUsage | null> => {
    try {
      return await lookup.find(hashApiKey(text))
    } catch (error) {
      metrics.keyLookupFailuresTotal.inc()
      logger.debug({ msg: 'Could not look up an API key', err: error })
      throw new RequestError('unavailable', 'API keys cannot be checked now; try again soon.')
    }
  }
}

function createUsageReader({ store, clock, logger }: KeyAccessOptions, book: UsageBook) {
  return async ({ key: { accountId } }: Caller): Promise<Usage[]> => {
    const nowMs = clock.nowMs()
    const fromDay = dayAt(creditPeriodAt(nowMs).startMs)
    try {
      const stored = await store.loadUsage({ accountId, fromDay, toDay: dayAt(nowMs) })
      return [...stored, ...book.unwritten(accountId).filter(({ day }) => day >= fromDay)]
    } catch (error) {
      logger.warn({ msg: 'Could not read usage', err: error })
      throw new RequestError('unavailable', 'Usage cannot be read now; try again soon.')
    }
  }
}
