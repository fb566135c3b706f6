import { BoundedMap } from '../lib/boundedMap.ts'
import type { PoolAnswer, PoolQuery } from '../model/pool.ts'
import {
  type ChainReader,
  createScanProgress,
  type ReadPoint,
  type TokenAnswer,
  type TransferScanQuery,
  type TransferSums,
} from './chainReader.ts'
import { TransfersRefusedError } from './errors.ts'
import { Semaphore } from './semaphore.ts'

/** What an upcoming block names that is not in memory yet. */
export type PrefetchQuery = {
  pools: readonly PoolQuery[]
  tokens: readonly string[]
  at: ReadPoint
  /** Tokens that may have existed before the block. */
  olderTokens: readonly string[]
  parent: ReadPoint
}

/**
 * A ChainReader that can start requests ahead of time, so that answers are ready when the resolver
 * asks.
 */
export type PrefetchingReader = ChainReader & {
  prefetch(query: PrefetchQuery): void
  close(): void
}

type PrefetchLimits = {
  /** Number of prefetched answers kept, of each kind. */
  prefetchedMax: number
  /** Number of transfer scans prefetched at a time. */
  historyJobsMax: number
  /** Longer transfer scans are not prefetched; they start when their block is resolved. */
  prefetchedHistoryLogsMax: number
}

/** Prefetched answers, pending or complete; the oldest is evicted first. */
class PrefetchedAnswers<answer> {
  readonly #promises: BoundedMap<string, Promise<answer>>

  constructor(countMax: number) {
    this.#promises = new BoundedMap(countMax)
  }

  has(key: string): boolean {
    return this.#promises.has(key)
  }

  put(key: string, promise: Promise<answer>): void {
    // The caller of `take` sees the failure. Without a caller the failure is ignored.
    promise.catch(() => undefined)
    this.#promises.set(key, promise)
  }

  take(key: string): Promise<answer> | undefined {
    const promise = this.#promises.get(key)
    this.#promises.delete(key)
    return promise
  }
}

export function createPrefetchingReader(
  reader: ChainReader,
  limits: PrefetchLimits,
): PrefetchingReader {
  const tokens = new PrefetchedAnswers<TokenAnswer>(limits.prefetchedMax)
  const pools = new PrefetchedAnswers<PoolAnswer | null>(limits.prefetchedMax)
  const histories = createScanPrefetcher(reader, limits)
  // Token metadata is as of a block; what a pool answers never changes.
  const tokenKey = (address: string, at: ReadPoint) => `${at.hash} ${address}`

  return {
    ...reader,
    prefetch(query) {
      const { at } = query
      const newTokens = query.tokens.filter((token) => !tokens.has(tokenKey(token, at)))
      requestAll(
        newTokens,
        (asked) => reader.readTokens(asked, at, false),
        (token, answer) => tokens.put(tokenKey(token, at), answer),
      )
      const newPools = query.pools.filter(({ key }) => !pools.has(key))
      requestAll(
        newPools,
        (asked) => reader.readPools(asked, at),
        ({ key }, answer) => pools.put(key, answer),
      )
      for (const token of query.olderTokens) histories.prefetch(token, query.parent)
    },
    readHistory: histories.read,
    close: histories.close,
    readTokens: (addresses, at, isLive) =>
      takeOrRequest(
        addresses,
        (address) => tokens.take(tokenKey(address, at)),
        (rest) => reader.readTokens(rest, at, isLive),
      ),
    readPools: (queries, at, options) =>
      takeOrRequest(
        queries,
        ({ key }) => (options === undefined ? pools.take(key) : undefined),
        (rest) => reader.readPools(rest, at, options),
      ),
  }
}

function createScanPrefetcher(reader: ChainReader, limits: PrefetchLimits) {
  const answers = new PrefetchedAnswers<TransferSums | null>(limits.prefetchedMax)
  const slots = new Semaphore(limits.historyJobsMax)
  const closing = new AbortController()
  const keyOf = (token: string, to: ReadPoint) => `${to.hash} ${token}`

  async function scan(token: string, to: ReadPoint): Promise<TransferSums | null> {
    const release = await slots.acquire()
    try {
      closing.signal.throwIfAborted()
      return await reader.readHistory({
        token,
        to,
        logsMax: limits.prefetchedHistoryLogsMax,
        walletsMax: limits.prefetchedHistoryLogsMax,
        signal: closing.signal,
        progress: createScanProgress(),
        onProgress: async () => undefined,
      })
    } finally {
      release()
    }
  }

  return {
    prefetch(token: string, to: ReadPoint): void {
      if (!answers.has(keyOf(token, to))) answers.put(keyOf(token, to), scan(token, to))
    },
    /**
     * Reads a transfer history now if its prefetch failed or was too long. A refused prefetch is
     * not repeated.
     */
    async read(query: TransferScanQuery): Promise<TransferSums | null> {
      const prefetched = await answers
        .take(keyOf(query.token, query.to))
        ?.catch((error: unknown) => {
          if (error instanceof TransfersRefusedError) throw error
          return null
        })
      if (!prefetched || prefetched.logCount > query.logsMax) return await reader.readHistory(query)
      await query.onProgress(prefetched.logCount)
      return prefetched
    },
    close: () => closing.abort(),
  }
}

/** Sends one request for all keys and stores a promise of each key's answer. */
function requestAll<key, answer>(
  keys: readonly key[],
  ask: (keys: readonly key[]) => Promise<readonly answer[]>,
  put: (key: key, answer: Promise<answer>) => void,
): void {
  if (keys.length === 0) return
  const answers = ask(keys)
  answers.catch(() => undefined)
  for (const [i, key] of keys.entries())
    put(
      key,
      answers.then((all) => all[i]!),
    )
}

/**
 * Returns answers in order of the keys. Requests those that were not prefetched or whose prefetch
 * failed.
 */
async function takeOrRequest<key, answer>(
  keys: readonly key[],
  take: (key: key) => Promise<answer> | undefined,
  ask: (keys: readonly key[]) => Promise<readonly answer[]>,
): Promise<answer[]> {
  const prefetched = await Promise.all(
    keys.map((key) =>
      take(key)
        ?.then((answer) => ({ answer }))
        .catch(() => undefined),
    ),
  )
  const rest = keys.filter((_, i) => prefetched[i] === undefined)
  const asked = rest.length === 0 ? [] : await ask(rest)
  let next = 0
  return prefetched.map((known) => (known === undefined ? asked[next++]! : known.answer))
}
