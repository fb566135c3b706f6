import { expect, test } from 'vitest'
import { createReportCache, createReportSync, reportOf, reportText } from './reportCache.ts'
import type { RiskReport } from './riskReport.ts'

type Change = { creator?: string; isHoneypot?: boolean; hadHolders?: boolean }

const reportAt = (number: number, { creator, ...rest }: Change = {}) =>
  ({
    block: { number, hash: 'h', timeS: 1_000 + number },
    creator: creator === undefined ? null : { address: creator },
    ...rest,
  }) as unknown as RiskReport

const limits = { reportsMax: 3, reportBlockTimeSMax: 10, reportBlocksMin: 5, reportAgeSMax: 60 }

function openCache() {
  const clock = { ms: 0 }
  const cache = createReportCache({ limits, clock: { nowMs: () => clock.ms } })
  const isFresh = (number: number, timeS: number, hasHolders = true) =>
    cache.fresh('a', { block: { number, timeS }, hasHolders }) !== null
  return { cache, clock, isFresh }
}

test('a report is fresh for some blocks and seconds, and never for a block before its own', () => {
  const { cache, clock, isFresh } = openCache()
  expect(isFresh(100, 1_100)).toBe(false)
  cache.keep('a', reportAt(100))
  expect(isFresh(100, 1_100)).toBe(true)
  expect(isFresh(99, 1_099)).toBe(false)
  // Too old by blocks and by seconds, each at its limit.
  expect(isFresh(105, 1_110)).toBe(false)
  expect(isFresh(104, 1_999)).toBe(true)
  expect(isFresh(999, 1_109)).toBe(true)
  clock.ms = 59_999
  expect(isFresh(100, 1_100)).toBe(true)
  clock.ms = 60_000
  expect(isFresh(100, 1_100)).toBe(false)
  expect(cache.last('a')).toMatchObject({ block: { number: 100 } })
})

test('a report from before there were holders is made again once there are some', () => {
  const { cache, isFresh } = openCache()
  cache.keep('a', reportAt(100, { hadHolders: false }))
  expect([isFresh(100, 1_100, false), isFresh(100, 1_100, true)]).toEqual([true, false])
})

test('the report that was not used for longest makes room', () => {
  const { cache, isFresh } = openCache()
  for (const address of ['a', 'b', 'c']) cache.keep(address, reportAt(100, { creator: 'maker' }))
  expect(isFresh(100, 1_100)).toBe(true)
  cache.keep('d', reportAt(100))
  expect(['a', 'b', 'c', 'd'].map((address) => cache.last(address) !== null)).toEqual([
    ...[true, false, true, true],
  ])
  expect([cache.size(), cache.madeBy('maker')]).toEqual([3, ['a', 'c']])
})

test('a creator is known by its other tokens', () => {
  const { cache } = openCache()
  cache.keep('a', reportAt(1, { creator: 'maker', isHoneypot: true }))
  expect(cache.hasHoneypotBeside('a', 'maker')).toBe(false)
  expect(cache.hasHoneypotBeside('b', 'maker')).toBe(true)
  expect(cache.hasHoneypotBeside('b', 'other')).toBe(false)
  cache.keep('a', reportAt(2, { creator: 'other' }))
  expect([cache.madeBy('maker'), cache.madeBy('other')]).toEqual([[], ['a']])
  expect(cache.hasHoneypotBeside('b', 'maker')).toBe(false)
})

test('reports wait for the store, up to a limit, until exactly they are stored', () => {
  const { cache } = openCache()
  const book = createReportSync(cache, 2)
  const [first, second] = [reportAt(1), reportAt(2)]
  book.made('a', first)
  book.made('b', first)
  book.made('c', first)
  expect([...book.unstored().keys()]).toEqual(['a', 'b'])
  book.stored('a', second)
  expect(book.unstored().size).toBe(2)
  book.stored('a', first)
  expect([...book.unstored().keys()]).toEqual(['b'])
})

test('a stored report is taken over unless a later one is known, and is as old as its block', () => {
  const { cache, clock, isFresh } = openCache()
  const book = createReportSync(cache, 2)
  cache.keep('a', reportAt(5))
  for (const [number, known] of [
    [4, 5],
    [5, 5],
    [6, 6],
  ] as const) {
    book.restore('a', reportAt(number))
    expect(cache.last('a')!.block.number).toBe(known)
  }
  clock.ms = 1_006_000 + 59_999
  expect(isFresh(6, 1_006)).toBe(true)
  clock.ms += 1
  expect(isFresh(6, 1_006)).toBe(false)
  book.restore('new', reportAt(1))
  expect(cache.last('new')).not.toBe(null)
})

test('a report comes back from its text with its integers, and not from another form', () => {
  const report = { ...reportAt(1), amount: 2n ** 200n, list: [0n, -5n], text: '7' }
  expect(reportOf(reportText(report as never))).toEqual(report)
  expect(reportOf('{"form":2,"report":{}}')).toBe(null)
  expect(reportOf('{"report":{}}')).toBe(null)
})
