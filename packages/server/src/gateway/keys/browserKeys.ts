import { randomBytes } from 'node:crypto'
import type { Metrics } from '../../lib/metrics.ts'
import type { Usage } from '../../store/keys/usage.ts'
import { RequestError } from '../errors.ts'
import type { Clock } from '../gatewayChain.ts'
import type { OpenKeyAccess } from './createKeyAccess.ts'
import { Holder } from './holder.ts'
import type { KeyHolder } from './keyAccess.ts'
import { fallbackPlanName, type Plan } from './plan.ts'
import { Account } from './usage/account.ts'
import { dayAt } from './usage/creditPeriod.ts'
import { createUsageBook } from './usage/usageBook.ts'

export type GivenKey = {
  /** What the page sends as its key. */
  text: string
  expiresAtS: number
}

/** Keys of the terminal, in memory alone: they end with the process, or minutes after the page that has one is closed. */
export type BrowserKeys = {
  /** The same key for longer where `held` is one that works, else a new one. Throws `unavailable` where there are too many. */
  give(held: string | undefined): GivenKey
  find(text: string | undefined): KeyHolder | undefined
  /** What all of them used today; null: the holder has another key. */
  usageOf(holder: KeyHolder): Usage[] | null
}

type BrowserKeysOptions = { plans: ReadonlyMap<string, Plan>; clock: Clock; metrics: Metrics }

export const browserKeyLimits = {
  /** A page asks for more long before. */
  lifeS: 600,
  /** Pages that are open at once, those that were closed minutes ago among them. */
  keysMax: 256,
  // A page asks for all that it shows at once.
  requestsPerSMin: 20,
} as const

// Told apart at a glance from keys that somebody made, and never asked of the database.
const prefix = 'ctb_'
const keyBytes = 32

/** Not a key of the store: those count from 1. */
const accountId = 0

type Given = { text: string; key: KeyHolder['key']; holder: KeyHolder }

export function createBrowserKeys({ plans, clock, metrics }: BrowserKeysOptions): BrowserKeys {
  const plan = planOf(plans.get(fallbackPlanName)!)
  const book = createUsageBook()
  const nowS = () => Math.floor(clock.nowMs() / 1_000)
  const account = new Account(accountId, { storedCost: 0, nowMs: clock.nowMs() })
  const shared = new Holder({
    plan,
    account,
    book,
    clock,
    key: keyOf(accountId, nowS()),
    onRefused: (reason) => metrics.refusedRequestsTotal.inc({ reason }),
  })
  const given = new Map<string, Given>()
  const holders = new WeakSet<KeyHolder>()
  let nextId = -1
  let today = dayAt(clock.nowMs())

  function forgetOld(): void {
    for (const [text, { key }] of given) if (key.expiresAtS! <= nowS()) given.delete(text)
    const day = dayAt(clock.nowMs())
    if (day === today) return
    today = day
    // Nobody writes it down: what was counted before today is let go.
    const counted = book.take()
    if (counted !== null) book.written(counted)
  }

  /** Its own end, and one account for all. */
  function holderOf(key: KeyHolder['key']): KeyHolder {
    const holder: KeyHolder = {
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

  function make(): Given {
    if (given.size >= browserKeyLimits.keysMax)
      throw new RequestError('unavailable', 'Too many pages of the terminal are open; close some.')
    const key = keyOf(nextId, nowS())
    nextId -= 1
    const text = prefix + randomBytes(keyBytes).toString('base64url')
    const made = { text, key, holder: holderOf(key) }
    given.set(text, made)
    return made
  }

  return {
    give(held) {
      forgetOld()
      const { text, key } = (held === undefined ? undefined : given.get(held)) ?? make()
      key.expiresAtS = nowS() + browserKeyLimits.lifeS
      return { text, expiresAtS: key.expiresAtS }
    },
    find: (text) => (text?.startsWith(prefix) ? given.get(text)?.holder : undefined),
    usageOf: (holder) => (holders.has(holder) ? book.unwritten(accountId) : null),
  }
}

/** The least that any key may do, but enough requests at once for a page. */
function planOf(least: Plan): Plan {
  const { requestsPerS } = least
  const raised = requestsPerS && Math.max(requestsPerS, browserKeyLimits.requestsPerSMin)
  return { ...least, name: 'browser', requestsPerS: raised }
}

function keyOf(id: number, createdAtS: number): KeyHolder['key'] {
  const ends = { createdAtS, expiresAtS: createdAtS + browserKeyLimits.lifeS, revokedAtS: null }
  return { id, accountId, name: 'terminal', plan: 'browser', ...ends }
}

/** Keys of the store, and those of the terminal. */
export function withBrowserKeys(keys: OpenKeyAccess, browserKeys: BrowserKeys): OpenKeyAccess {
  return {
    ...keys,
    knows: (text) => browserKeys.find(text) !== undefined || keys.knows(text),
    identify(text) {
      const holder = browserKeys.find(text)
      if (holder === undefined) return keys.identify(text)
      if (holder.fault() === null) return holder
      throw new RequestError('expired_key', 'This key of the terminal has expired.', 'X-API-KEY')
    },
    usageOf: async (holder) => browserKeys.usageOf(holder) ?? keys.usageOf(holder),
  }
}
