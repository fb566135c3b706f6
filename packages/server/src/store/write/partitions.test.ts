import type { Client } from 'pg'
import { expect, test } from 'vitest'
import { createLogger } from '../../lib/logger.ts'
import type { BlockWrite } from '../blockWrite.ts'
import { type DailyTable, dayOf, dayS, firstDayKept, type Retention } from '../retention.ts'
import {
  chainPartitionsSql,
  copyTargetOf,
  dailyTables,
  dropDays,
  ensureDays,
  hasExpiredDay,
  type KnownDays,
  loadKnownDays,
} from './partitions.ts'
import { createRetentionJob } from './retentionJob.ts'
import type { WriterSession } from './writerSession.ts'

/**
 * A connection that records statements. `neededSeq`: what the log is needed from; `lastSeqs`: of
 * its days.
 */
function openClient(neededSeq = 0, lastSeqs: Record<number, number | null> = {}) {
  const statements: string[] = []
  const client = {
    async query(sql: string) {
      statements.push(sql.replace(/\s+/g, ' ').trim())
      if (sql.includes('least(')) return { rows: [{ seq: neededSeq }] }
      const day = /max\(seq\) AS seq FROM log_c1_d(\d+)/.exec(sql)?.[1]
      if (day !== undefined) return { rows: [{ seq: lastSeqs[Number(day)] ?? null }] }
      return { rows: [] }
    },
  }
  const dropped = () => statements.flatMap((sql) => /DROP TABLE (\w+)/.exec(sql)?.[1] ?? [])
  return { client: client as unknown as Client, statements, dropped }
}

const daysOf = (days: Partial<Record<DailyTable, number[]>>): KnownDays => ({
  log: new Set(days.log),
  swaps: new Set(days.swaps),
  liquidity: new Set(days.liquidity),
  klines_s1: new Set(days.klines_s1),
  klines_k1: new Set(days.klines_k1),
})

test('a day and the one after it get a partition each, once', async () => {
  const { client, statements } = openClient()
  const known = daysOf({ swaps: [7] })
  await ensureDays(client, 1, known, daysOf({ swaps: [6, 7], log: [7] }))
  const created = statements.flatMap((sql) => /CREATE TABLE (\w+)/.exec(sql)?.[1] ?? [])
  expect(created).toEqual(['log_c1_d7', 'log_c1_d8', 'swaps_c1_d6', 'swaps_c1_d8'])
  expect(known).toEqual(daysOf({ swaps: [7, 6, 8], log: [7, 8] }))
  expect(statements[0]).toBe(
    'BEGIN; CREATE TABLE log_c1_d7 (LIKE log_c1 INCLUDING ALL); ALTER TABLE log_c1 ' +
      `ATTACH PARTITION log_c1_d7 FOR VALUES FROM (${7 * dayS}) TO (${8 * dayS}); COMMIT`,
  )
  await ensureDays(client, 1, known, daysOf({ swaps: [6, 7], log: [7] }))
  expect(statements).toHaveLength(4)
})

test('rows of one day go to its table, others to the parent', () => {
  expect(copyTargetOf('swaps', 3, new Set([20]))).toBe('swaps_c3_d20')
  expect(copyTargetOf('swaps', 3, new Set([20, 21]))).toBe('swaps')
  expect(copyTargetOf('swaps', 3, new Set())).toBe('swaps')
  expect(chainPartitionsSql(3)).toHaveLength(dailyTables.length)
  expect(chainPartitionsSql(3)[1]).toContain(
    'CREATE TABLE IF NOT EXISTS swaps_c3 PARTITION OF swaps',
  )
})

test('known days are read from the names of the tables', async () => {
  const client = {
    async query(_: string, [parent]: [string]) {
      return {
        rows: parent === 'swaps_c1' ? [{ name: 'swaps_c1_d7' }, { name: 'swaps_c1_d19' }] : [],
      }
    },
  }
  expect(await loadKnownDays(client as unknown as Client, 1)).toEqual(daysOf({ swaps: [7, 19] }))
})

test('a day is the whole one since 1970 in UTC, and is kept for as many days as set', () => {
  expect([dayOf(0), dayOf(dayS - 1), dayOf(dayS)]).toEqual([0, 0, 1])
  expect(firstDayKept(10 * dayS + 5, 2)).toBe(8)
  const retention: Retention = { log: 2, swaps: 2, liquidity: 2, klines_s1: 2, klines_k1: 2 }
  for (const [day, isExpired] of [
    [7, true],
    [8, false],
  ] as const)
    for (const table of dailyTables)
      expect(hasExpiredDay(daysOf({ [table]: [day, 10] }), retention, 10 * dayS)).toBe(isExpired)
})

test('earlier days are dropped, oldest first, and the lock is waited for no longer than set', async () => {
  const { client, statements, dropped } = openClient()
  const known = daysOf({ swaps: [9, 7, 8, 10], liquidity: [7] })
  const names = await dropDays(client, 1, known, {
    tables: ['swaps', 'liquidity'],
    firstDayOf: (table) => (table === 'swaps' ? 9 : 7),
    lockWaitMs: 123,
  })
  expect(names).toEqual(['swaps_c1_d7', 'swaps_c1_d8'])
  expect(dropped()).toEqual(names)
  expect(known).toEqual(daysOf({ swaps: [9, 10], liquidity: [7] }))
  // With the swaps it is noted from when on they are kept.
  expect(statements.find((sql) => sql.includes('swaps_c1_d8'))).toContain(
    `greatest(swaps_from_s, ${9 * dayS})`,
  )
  expect(statements[1]).toBe('SET lock_timeout = 123')
  expect(statements.at(-1)).toBe('RESET lock_timeout')
})

test('the log keeps each day with an entry that is still needed, and all after it', async () => {
  for (const [neededSeq, names] of [
    [0, []],
    [50, []],
    [51, ['log_c1_d5']],
    [71, ['log_c1_d5', 'log_c1_d6', 'log_c1_d7']],
  ] as const) {
    const { client, dropped } = openClient(neededSeq, { 5: 50, 6: null, 7: 70, 8: 80 })
    const known = daysOf({ log: [5, 7, 8, ...(neededSeq > 60 ? [6] : [])] })
    const options = { tables: ['log'] as const, firstDayOf: () => 9, lockWaitMs: 1 }
    await dropDays(client, 1, known, options)
    expect(dropped()).toEqual(names)
  }
})

test('a lock that is not had in time is no longer waited for afterwards', async () => {
  const { client, statements } = openClient()
  const query = client.query.bind(client) as (sql: string) => Promise<unknown>
  const failing = {
    async query(sql: string) {
      if (sql.includes('DROP')) throw new RangeError('lock timeout')
      return await query(sql)
    },
  } as unknown as Client
  const known = daysOf({ swaps: [7] })
  const options = { tables: ['swaps'] as const, firstDayOf: () => 9, lockWaitMs: 1 }
  await expect(dropDays(failing, 1, known, options)).rejects.toThrow('lock timeout')
  expect(known).toEqual(daysOf({ swaps: [7] }))
  expect(statements.at(-1)).toBe('RESET lock_timeout')
})

/** A retainer that keeps one day, and checks every 10 s. */
function openRetainer() {
  const { client, dropped } = openClient(1_000, { 5: 1 })
  const known = daysOf({ swaps: [5, 6, 7, 8], log: [5, 8] })
  const retain = createRetentionJob({
    ...{ chainId: 1, chain: 'local', logger: createLogger('silent') },
    retention: { log: 1, swaps: 1, liquidity: 1, klines_s1: 1, klines_k1: 1 },
    ...{ retentionEveryS: 10, retentionGapSMax: dayS, dropLockWaitMs: 1 },
  })
  const run = (nowS: number, headS = nowS) =>
    retain.run(
      { client, knownDays: known } as unknown as WriterSession,
      { nowS, entries: [{ ref: { timeS: headS } }] } as unknown as BlockWrite,
    )
  return { retain, run, dropped, known }
}

test('expired days are dropped at intervals, by the earlier of clock and chain', async () => {
  const { run, dropped, known } = openRetainer()
  const nowS = 7 * dayS + 50
  expect(await run(nowS)).toBe(true)
  expect(dropped()).toEqual(['log_c1_d5', 'swaps_c1_d5'])
  const laterS = nowS + dayS
  // Not before the interval is over, and by the chain, which is behind the clock here.
  known.swaps.add(5)
  expect(await run(nowS + 9)).toBe(false)
  expect(await run(laterS, nowS)).toBe(true)
  expect([...known.swaps].sort()).toEqual([6, 7, 8])
  expect(await run(laterS + 10, laterS)).toBe(true)
  expect([...known.swaps]).toEqual([7, 8])
  // A clock that was set back does not delay it.
  known.swaps.add(5)
  expect(await run(laterS - 3_600, laterS)).toBe(true)
})

test('nothing is dropped while clock and chain are too far apart, and the reason is known', async () => {
  const { retain, run, dropped } = openRetainer()
  const headS = 8 * dayS
  expect(retain.held()).toBe(null)
  expect(await run(headS + dayS + 1, headS)).toBe(false)
  expect(retain.held()).toBe('our clock is 1.0 days ahead of the newest stored block')
  expect(await run(headS, headS + 3 * dayS)).toBe(false)
  expect(retain.held()).toBe('our clock is 3.0 days behind the newest stored block')
  expect(dropped()).toEqual([])
  expect(await run(headS + dayS, headS)).toBe(true)
  expect(retain.held()).toBe(null)
})

test('a reason to keep days is gone once none is expired', async () => {
  const { retain, run, known } = openRetainer()
  await run(9 * dayS, 7 * dayS)
  expect(retain.held()).not.toBe(null)
  for (const table of dailyTables) known[table].clear()
  expect(await run(9 * dayS + 20, 7 * dayS)).toBe(false)
  expect(retain.held()).toBe(null)
})
