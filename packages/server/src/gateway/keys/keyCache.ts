import type { Logger } from '../../lib/logger.ts'
import type { Metrics } from '../../lib/metrics.ts'
import { RequestError } from '../errors.ts'
import type { Clock } from '../gatewayChain.ts'
import { type ApiKey, hashApiKey } from './apiKey.ts'

/** Where keys are kept. */
export type KeyReader = {
  findByHash(hash: Uint8Array): Promise<ApiKey | null>
}

export type KeyCacheOptions = {
  keys: KeyReader
  clock: Clock
  logger: Logger
  metrics: Metrics
  countMax: number
  /** Time an answer is trusted. */
  trustMs: number
  lookupMsMax: number
}

export type KeyCache = { find(key: string): Promise<ApiKey | null> }

type Entry = { key: ApiKey | null; atMs: number }

/**
 * Remembers keys so that a request rarely asks the store. When the store does not answer in time, a
 * key that was known before stays valid: a stopped database must not lock clients out.
 */
export function createKeyCache(options: KeyCacheOptions): KeyCache {
  const { keys, clock, logger, metrics, countMax, trustMs, lookupMsMax } = options
  /** By hash, least recently used first. Unknown keys have a place of their own, so that guesses cannot push out known ones. */
  const known = new Map<string, Entry>()
  const unknown = new Map<string, Entry>()
  const pending = new Map<string, Promise<Entry>>()

  function remember(hash: string, entry: Entry): void {
    known.delete(hash)
    unknown.delete(hash)
    const target = entry.key === null ? unknown : known
    target.set(hash, entry)
    if (target.size > countMax) target.delete(target.keys().next().value!)
  }

  async function lookUp(hash: Buffer, hex: string): Promise<Entry> {
    try {
      const key = await keys.findByHash(hash)
      const entry = { key, atMs: clock.nowMs() }
      remember(hex, entry)
      return entry
    } finally {
      pending.delete(hex)
    }
  }

  /** One lookup per key at a time, whatever the number of requests that wait for it. */
  function lookUpOnce(hash: Buffer, hex: string): Promise<Entry> {
    let lookup = pending.get(hex)
    if (lookup === undefined) {
      lookup = lookUp(hash, hex)
      pending.set(hex, lookup)
    }
    return lookup
  }

  async function find(text: string): Promise<ApiKey | null> {
    const hash = hashApiKey(text)
    const hex = hash.toString('hex')
    const entry = known.get(hex) ?? unknown.get(hex)
    if (entry !== undefined && clock.nowMs() - entry.atMs < trustMs) {
      remember(hex, entry)
      return entry.key
    }
    try {
      return (await within(lookUpOnce(hash, hex), lookupMsMax)).key
    } catch (error) {
      metrics.keyLookupFailuresTotal.inc()
      logger.warn({
        msg: 'Could not look up an API key',
        err: error,
        isCached: entry !== undefined,
      })
      if (entry?.key) return entry.key
      throw new RequestError('unavailable', 'API keys cannot be checked now; try again soon.')
    }
  }

  return { find }
}

async function within<value>(promise: Promise<value>, msMax: number): Promise<value> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new RequestError('unavailable', `No answer within ${msMax} ms.`)),
      msMax,
    )
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
