import { randomBytes } from 'node:crypto'
import { BoundedMap } from '../../lib/boundedMap.ts'
import type { Metrics } from '../../lib/metrics.ts'
import type { Usage } from '../../store/keys/usage.ts'
import type { Clock } from '../chain/gatewayChain.ts'
import { RequestError } from '../ground/errors.ts'
import { ActiveKey } from './activeKey.ts'
import { createSecretCheck } from './apiKey.ts'
import type { RunningKeyAccess } from './createKeyAccess.ts'
import type { Caller } from './keyAccess.ts'
import { dayAt, fallbackPlanName, type Plan } from './plan.ts'
import { Account } from './usage/account.ts'
import { createUsageBook } from './usage/usageBook.ts'

export type IssuedKey = {
  /** Text that the page sends as its API key. */
  text: string
  expiresAtS: number
}

/**
 * API keys of the terminal's pages, kept only in memory. They end with the process, or minutes
 * after the page is closed.
 */
export type BrowserKeys = {
  /**
   * Extends `held` if it still works, else creates a key. Throws `missing_key` or `invalid_key`
   * unless the token is right.
   */
  issue(token: string, held: string | undefined): IssuedKey
  find(text: string | undefined): Caller | undefined
  /**
   * Returns today's usage of all browser keys together. Null if the holder's key is not a browser
   * key.
   */
  usageOf(holder: Caller): Usage[] | null
}

type BrowserKeysOptions = {
  /** Secret in the terminal's address, which lets a page get a key. */
  token: string
  plans: ReadonlyMap<string, Plan>
  clock: Clock
  metrics: Metrics
}

export const browserKeyLimits = {
  /** Lifetime of a browser key. A page renews its key long before. */
  lifeS: 600,
  /**
   * Open pages, including those closed minutes ago. One more page evicts the key that was renewed
   * least recently.
   */
  keysMax: 256,
  // A page requests everything that it shows at once.
  requestsPerSMin: 20,
} as const

const tokenHeader = 'X-TERMINAL-TOKEN'

// Prefix of browser keys. It tells them apart from keys of the store, so the database is never
// asked for them.
const browserKeyPrefix = 'ctb_'
const keyBytes = 32

/** Account id of all browser keys. Ids in the store start at 1. */
const accountId = 0

type IssuedBrowserKey = { text: string; key: Caller['key']; holder: Caller }

export function createBrowserKeys(options: BrowserKeysOptions): BrowserKeys {
  const { plans, clock, metrics } = options
  const isToken = createSecretCheck(options.token)
  const plan = browserPlan(plans.get(fallbackPlanName)!)
  const book = createUsageBook()
  const nowS = () => Math.floor(clock.nowMs() / 1_000)
  const account = new Account(accountId, { storedCost: 0, nowMs: clock.nowMs() })
  const shared = new ActiveKey({
    plan,
    account,
    book,
    clock,
    key: keyOf(accountId, nowS()),
    onRefused: (reason) => metrics.refusedRequestsTotal.inc({ reason }),
  })
  /** Issued keys, the least recently renewed first. */
  const given = new BoundedMap<string, IssuedBrowserKey>(browserKeyLimits.keysMax)
  const holders = new WeakSet<Caller>()
  let nextId = -1
  let today = dayAt(clock.nowMs())

  function forgetOld(): void {
    for (const [text, { key }] of given) if (key.expiresAtS! <= nowS()) given.delete(text)
    const day = dayAt(clock.nowMs())
    if (day === today) return
    today = day
    // Usage of browser keys is not stored, so counts of earlier days are dropped.
    const counted = book.takeBatch()
    if (counted !== null) book.markWritten(counted)
  }

  /** Returns a holder with an expiry of its own. All browser keys share one account. */
  function holderOf(key: Caller['key']): Caller {
    const holder: Caller = {
      key,
      plan,
      fault: () => (clock.nowMs() >= key.expiresAtS! * 1_000 ? 'expired_key' : null),
      admit: (cost, operation) => shared.admit(cost, operation),
      refund: (cost, operation) => shared.refund(cost, operation),
      creditsLeft: () => shared.creditsLeft(),
      quota: () => shared.quota(),
    }
    holders.add(holder)
    return holder
  }

  function make(): IssuedBrowserKey {
    const key = keyOf(nextId, nowS())
    nextId -= 1
    const text = browserKeyPrefix + randomBytes(keyBytes).toString('base64url')
    return { text, key, holder: holderOf(key) }
  }

  return {
    issue(token, held) {
      if (!isToken(token)) throw refusalOf(token)
      forgetOld()
      const page = given.get(held ?? '') ?? make()
      const { text, key } = page
      key.expiresAtS = nowS() + browserKeyLimits.lifeS
      given.set(text, page)
      return { text, expiresAtS: key.expiresAtS }
    },
    find: (text) => (text?.startsWith(browserKeyPrefix) ? given.get(text)?.holder : undefined),
    usageOf: (holder) => (holders.has(holder) ? book.unwritten(accountId) : null),
  }
}

const tokenHelp =
  'Open the address that chaintape start printed, or enter an API key. The address is also in the file terminal.url of the data directory (.chaintape unless configured).'

function refusalOf(token: string): RequestError {
  return token === ''
    ? new RequestError('missing_key', tokenHelp, tokenHeader)
    : new RequestError(
        'invalid_key',
        `This token does not belong to this service. ${tokenHelp}`,
        tokenHeader,
      )
}

/**
 * Returns the plan of browser keys: the fallback plan, with enough requests per second to load a
 * page.
 */
function browserPlan(least: Plan): Plan {
  const { requestsPerS } = least
  const raised = requestsPerS && Math.max(requestsPerS, browserKeyLimits.requestsPerSMin)
  return { ...least, name: 'browser', requestsPerS: raised }
}

function keyOf(id: number, createdAtS: number): Caller['key'] {
  const ends = { createdAtS, expiresAtS: createdAtS + browserKeyLimits.lifeS, revokedAtS: null }
  return { id, accountId, name: 'terminal', plan: 'browser', ...ends }
}

/** Combines the keys of the store with those of the terminal's pages. */
export function withBrowserKeys(
  keys: RunningKeyAccess,
  browserKeys: BrowserKeys,
): RunningKeyAccess {
  return {
    ...keys,
    knows: (text) => browserKeys.find(text) !== undefined || keys.knows(text),
    identify(text) {
      const holder = browserKeys.find(text)
      if (holder === undefined) return keys.identify(text)
      if (holder.fault() === null) return holder
      throw new RequestError(
        'expired_key',
        'This key of the terminal has expired; reload the page.',
        'X-API-KEY',
      )
    },
    usageOf: async (holder) => browserKeys.usageOf(holder) ?? keys.usageOf(holder),
  }
}
