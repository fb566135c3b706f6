import { beforeEach, expect, test } from 'vitest'
import { createMemoryKeys, unlimitedPlan } from '../../../../../test/support/memoryKeys.ts'
import { createMetrics } from '../../lib/metrics.ts'
import {
  type BrowserKeys,
  browserKeyLimits,
  createBrowserKeys,
  withBrowserKeys,
} from './browserKeys.ts'
import type { RunningKeyAccess } from './createKeyAccess.ts'
import type { Plan } from './plan.ts'

const free: Plan = { ...unlimitedPlan, name: 'free', requestsPerS: 1, creditsPerPeriod: 1_000 }
const token = 'the-token-of-this-test'
const startMs = Date.UTC(2026, 10, 16)

let nowMs: number
let browserKeys: BrowserKeys
let keys: RunningKeyAccess

beforeEach(() => {
  nowMs = startMs
  const clock = { nowMs: () => nowMs }
  const plans = new Map([['free', free]])
  browserKeys = createBrowserKeys({ token, plans, clock, metrics: createMetrics() })
  keys = withBrowserKeys(createMemoryKeys(new Map()) as RunningKeyAccess, browserKeys)
})

const holderOf = (text: string) => browserKeys.find(text)!

test('default: a browser key expires minutes after its last renewal', () => {
  const { text, expiresAtS } = browserKeys.issue(token, undefined)
  expect(expiresAtS * 1_000).toBe(startMs + browserKeyLimits.lifeS * 1_000)
  expect(keys.knows(text)).toBe(true)
  expect(keys.identify(text)).toBe(holderOf(text))
  nowMs = expiresAtS * 1_000
  expect(() => keys.identify(text)).toThrow('has expired')
})

test('behavior: a working key is extended and stays the same', () => {
  const first = browserKeys.issue(token, undefined)
  const holder = holderOf(first.text)
  nowMs += 300_000
  const second = browserKeys.issue(token, first.text)
  expect(second.text).toBe(first.text)
  expect(second.expiresAtS).toBe(first.expiresAtS + 300)
  nowMs = first.expiresAtS * 1_000
  // A socket that was opened with the key stays open.
  expect(holder.fault()).toBeNull()
})

test('behavior: an expired or unknown key is replaced by a new key', () => {
  const first = browserKeys.issue(token, undefined)
  nowMs = first.expiresAtS * 1_000
  const texts = [first.text, 'ctb_guessed', 'ct_somebody'].map(
    (held) => browserKeys.issue(token, held).text,
  )
  expect(new Set([first.text, ...texts]).size).toBe(4)
})

test('behavior: pages share the credits of the smallest plan, with enough requests to load a page', () => {
  const [one, two] = [browserKeys.issue(token, undefined), browserKeys.issue(token, undefined)]
  expect(holderOf(one.text).plan).toEqual({ ...free, name: 'browser', requestsPerS: 20 })
  void holderOf(one.text).admit(600, 'pair')
  expect(holderOf(two.text).creditsLeft()).toBe(400)
  expect(() => holderOf(two.text).admit(600, 'pair')).toThrow('too few are left')
  holderOf(one.text).refund(600, 'pair')
  void holderOf(two.text).admit(600, 'pair')
})

test('behavior: today’s usage of browser keys is reported but not stored', async () => {
  const { text } = browserKeys.issue(token, undefined)
  void holderOf(text).admit(5, 'pair')
  expect(await keys.usageOf(holderOf(text))).toMatchObject([{ operation: 'pair', requestCount: 1 }])
  nowMs += 86_400_000
  const next = browserKeys.issue(token, text)
  expect(await keys.usageOf(holderOf(next.text))).toEqual([])
})

test('behavior: a page over the limit evicts the key that was renewed least recently', () => {
  const pages = Array.from({ length: browserKeyLimits.keysMax }, () =>
    browserKeys.issue(token, undefined),
  )
  const [renewed, oldest] = pages.map(({ text }) => text)
  browserKeys.issue(token, renewed)
  const newest = browserKeys.issue(token, undefined)
  expect(browserKeys.find(oldest)).toBeUndefined()
  for (const text of [renewed, newest.text]) expect(keys.knows(text)).toBe(true)
  // The page of the evicted key asks again, and continues.
  expect(keys.knows(browserKeys.issue(token, oldest).text)).toBe(true)
})

test('error: without the right token no key is issued or extended', () => {
  const { text, expiresAtS } = browserKeys.issue(token, undefined)
  nowMs += 300_000
  expect(() => browserKeys.issue('', text)).toThrow('terminal.url')
  for (const other of [`${token}x`, token.slice(1), token.toUpperCase()])
    expect(() => browserKeys.issue(other, text)).toThrow('does not belong to this service')
  expect(holderOf(text).key.expiresAtS).toBe(expiresAtS)
})
