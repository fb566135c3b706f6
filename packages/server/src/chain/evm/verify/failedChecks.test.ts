import { expect, test } from 'vitest'
import { createLogger } from '../../../lib/logger.ts'
import {
  agreementOn,
  createFailedChecks,
  degradeAfterMs,
  mostReported,
  type Report,
} from './failedChecks.ts'

function open() {
  const clock = { ms: 5_000 }
  const checks = createFailedChecks({
    ...{ chain: 'avalanche', nowMs: () => clock.ms, logger: createLogger('silent') },
  })
  return { checks, clock }
}

const bloomAt = (number: number, agreement: 'agreed' | 'disagreed' | 'alone' | 'passed') =>
  ({ check: 'bloom', number, agreement }) as const

test('default: a check is degraded after ten minutes of agreement, and stays so', () => {
  const { checks, clock } = open()
  expect(checks.summary()).toBeNull()
  expect(checks.note(bloomAt(90, 'agreed'))).toBe(false)
  expect(checks.summary()).toBe(
    'every endpoint fails the check bloom since block 90, probably by an upgrade of the chain; ' +
      'chains.avalanche.node_checks: {"bloom": false} turns the check off; ' +
      'the endpoints agree on the block, so after 10 minutes it is read without the check',
  )
  clock.ms += degradeAfterMs - 1
  expect(checks.note(bloomAt(90, 'agreed'))).toBe(false)
  expect(checks.isDegraded('bloom')).toBe(false)
  clock.ms += 1
  expect(checks.note(bloomAt(90, 'agreed'))).toBe(true)
  expect([checks.isDegraded('bloom'), checks.isDegraded('receipts_root')]).toEqual([true, false])
  checks.onRead(90)
  // The next block only needs the agreement of endpoints.
  expect(checks.note(bloomAt(91, 'agreed'))).toBe(true)
  expect(checks.note(bloomAt(92, 'disagreed'))).toBe(false)
  checks.onRead(92)
  expect(checks.summary()).toContain(
    'since block 90, probably by an upgrade of the chain; chains.avalanche.node_checks: {"bloom": false} turns the check off; blocks on which two endpoints of different hosts agree are read without it',
  )
})

test('behavior: without agreement it waits for ever, and says why', () => {
  const { checks, clock } = open()
  for (const [agreement, why] of [
    ['alone', 'waiting, since no second endpoint of another host confirms the block'],
    ['disagreed', 'waiting, since the endpoints disagree on the block'],
  ] as const) {
    expect(checks.note(bloomAt(90, agreement))).toBe(false)
    clock.ms += 10 * degradeAfterMs
    expect(checks.note(bloomAt(90, agreement))).toBe(false)
    expect(checks.summary()).toContain(why)
  }
})

test('behavior: an endpoint that passes the check, or a block that is read, ends the waiting', () => {
  const { checks, clock } = open()
  checks.note(bloomAt(90, 'passed'))
  expect(checks.summary()).toBeNull()
  checks.note(bloomAt(93, 'agreed'))
  checks.note(bloomAt(90, 'agreed'))
  checks.onRead(89)
  expect(checks.summary()).toContain('since block 90')
  checks.onRead(90)
  expect(checks.summary()).toBeNull()
  clock.ms += degradeAfterMs
  expect(checks.note(bloomAt(95, 'agreed'))).toBe(false)
})

test('behavior: a block that shows why it fails needs no time, but agreement', () => {
  const { checks } = open()
  const header = { check: 'header_hash', number: 90 } as const
  expect(checks.note({ ...header, agreement: 'alone' }, true)).toBe(false)
  expect(checks.note({ ...header, agreement: 'agreed' }, true)).toBe(true)
  expect(checks.isDegraded('header_hash')).toBe(true)
})

const report = (host: string, text: string, isPassed = false): Report => ({ host, text, isPassed })

test.each<[string, Report[], string]>([
  ['two hosts report the same', [report('a', 'x'), report('b', 'x')], 'agreed'],
  ['most do', [report('a', 'y'), report('b', 'x'), report('c', 'x')], 'agreed'],
  ['one endpoint', [report('a', 'x')], 'alone'],
  ['two endpoints of one host', [report('a', 'x'), report('a', 'x')], 'alone'],
  ['as many report something else', [report('a', 'x'), report('b', 'y')], 'disagreed'],
  ['nobody answers', [], 'disagreed'],
  ['one passes', [report('a', 'x'), report('b', 'x'), report('c', 'z', true)], 'passed'],
])('behavior: %s', (_, reports, agreement) => {
  expect(agreementOn(mostReported(reports) || 'x', reports)).toBe(agreement)
})
