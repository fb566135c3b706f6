import type { Metrics } from '../../lib/metrics.ts'
import { withinMs } from '../../lib/withinMs.ts'
import type { KeyWithUsage } from '../../store/keys/keys.ts'
import { RequestError } from '../ground/errors.ts'
import type { KeyStore } from './keyAccess.ts'

type KeyLookupOptions = {
  store: Pick<KeyStore, 'findKeysByHash'>
  /** Returns the credit period whose usage is loaded with a key. */
  period(): number
  /** Keys that may wait for the store at the same time. */
  waitingMax: number
  /** Time that one lookup of a key may take. */
  lookupMsMax: number
}

export type KeyLookup = {
  /**
   * Finds a key by its hash; null if the store has no such key. Rejects when the store does not
   * answer, or too many lookups wait.
   */
  find(hash: Buffer): Promise<KeyWithUsage | null>
}

type Waiting = {
  hash: Buffer
  found: Promise<KeyWithUsage | null>
  resolve(key: KeyWithUsage | null): void
  reject(error: unknown): void
}

// Keys found by one SQL statement: as many as fit into a small message.
const batchMax = 256

/**
 * Looks up keys in the store, one statement at a time for all keys that arrived meanwhile. A flood
 * of guesses costs a statement per few hundred guesses, and never more than one connection.
 */
export function createKeyLookup(options: KeyLookupOptions): KeyLookup {
  const { store, period, waitingMax, lookupMsMax } = options
  const waiting = new Map<string, Waiting>()
  let isAsking = false

  async function askAll(): Promise<void> {
    isAsking = true
    while (waiting.size > 0) {
      const batch = [...waiting].slice(0, batchMax)
      try {
        const hashes = batch.map(([, { hash }]) => hash)
        const keys = await store.findKeysByHash({ hashes, period: period() })
        const byHash = new Map(keys.map((key) => [idOf(Buffer.from(key.hash)), key]))
        for (const [id, { resolve }] of batch) resolve(byHash.get(id) ?? null)
      } catch (error) {
        for (const [, { reject }] of batch) reject(error)
      }
      for (const [id] of batch) waiting.delete(id)
    }
    isAsking = false
  }

  async function inTime(found: Promise<KeyWithUsage | null>): Promise<KeyWithUsage | null> {
    const key = await withinMs(found, lookupMsMax, 'late' as const)
    if (key === 'late')
      throw new RequestError('unavailable', `The lookup of an API key took over ${lookupMsMax} ms.`)
    return key
  }

  function find(hash: Buffer): Promise<KeyWithUsage | null> {
    const id = idOf(hash)
    const asked = waiting.get(id)
    if (asked !== undefined) return inTime(asked.found)
    if (waiting.size >= waitingMax)
      return Promise.reject(
        new RequestError(
          'unavailable',
          `Over ${waitingMax} API keys are waiting to be checked; try again soon.`,
        ),
      )
    let resolve!: Waiting['resolve']
    let reject!: Waiting['reject']
    const found = new Promise<KeyWithUsage | null>((fulfil, fail) => {
      resolve = fulfil
      reject = fail
    })
    // When a lookup fails, its callers may have timed out. This handler prevents an unhandled
    // rejection.
    found.catch(() => undefined)
    waiting.set(id, { hash, found, resolve, reject })
    if (!isAsking) void askAll()
    return inTime(found)
  }

  return { find }
}

function idOf(hash: Buffer): string {
  return hash.toString('latin1')
}

/**
 * Creates the errors for refused API keys. Each error is made once: a flood of bad keys must not
 * cost a stack trace each.
 */
export function createKeyErrors(metrics: Metrics) {
  const name = 'X-API-KEY'
  function refusal(error: RequestError) {
    return () => {
      metrics.refusedRequestsTotal.inc({ reason: error.wireCode })
      return error
    }
  }
  return {
    missing: refusal(
      new RequestError('missing_key', 'Send your API key in the X-API-KEY header.', name),
    ),
    unknown: refusal(new RequestError('invalid_key', 'This API key is not known here.', name)),
    early: refusal(
      new RequestError('unavailable', 'The service is starting, and this key is not known yet.'),
    ),
    revoked: refusal(new RequestError('invalid_key', 'This API key was revoked.', name)),
    expired: refusal(new RequestError('expired_key', 'This API key has expired.', name)),
  }
}
