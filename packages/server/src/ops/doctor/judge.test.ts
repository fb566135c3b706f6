import { expect, test } from 'vitest'
import type { DatabaseFacts } from '../../store/inspectDatabase.ts'
import { databaseFindings } from './checkDatabase.ts'
import {
  diskFinding,
  marketMemoryFinding,
  memoryFinding,
  openFilesFinding,
} from './checkMachine.ts'
import type { DoctorFinding } from './finding.ts'
import { agreementFinding, headFinding, lagFindings, latencyFinding } from './nodeFindings.ts'

const facts: DatabaseFacts = {
  version: '17.2',
  schema: { found: 18, known: 18 },
  sizeBytes: 12e6,
  writers: 0,
  waitingLocks: 0,
  oldestTransactionS: 0,
  isReplica: false,
  canCreate: true,
  connections: { used: 3, max: 100 },
  clockAheadMs: 20,
}
const judged = (changes: Partial<DatabaseFacts>, isGateway = false) =>
  databaseFindings('db/market', { ...facts, ...changes }, { wanted: 24, isGateway })
const levelsOf = (findings: DoctorFinding[]) =>
  findings.filter(({ level }) => level !== 'ok').map(({ check, level }) => [check, level])

test('default: a healthy database', () => {
  expect(levelsOf(judged({}))).toEqual([])
  expect(judged({})[0]!.text).toBe('PostgreSQL 17.2 at db/market, 12 MB.')
})

test('behavior: finds each fault of a database', () => {
  expect(levelsOf(judged({ isReplica: true }))).toEqual([['rights', 'fail']])
  expect(levelsOf(judged({ canCreate: false }))).toEqual([['rights', 'fail']])
  expect(levelsOf(judged({ canCreate: false }, true))).toEqual([])
  expect(levelsOf(judged({ schema: { found: 17, known: 18 } }))).toEqual([['schema', 'warn']])
  expect(levelsOf(judged({ schema: { found: 19, known: 18 } }))).toEqual([['schema', 'fail']])
  expect(levelsOf(judged({ schema: { found: 0, known: 18 } }))).toEqual([])
  expect(levelsOf(judged({ waitingLocks: 2 }))).toEqual([['locks', 'warn']])
  expect(levelsOf(judged({ oldestTransactionS: 301 }))).toEqual([['transactions', 'warn']])
  expect(levelsOf(judged({ clockAheadMs: -2_001 }))).toEqual([['clock', 'warn']])
  const full = { connections: { used: 90, max: 100 } }
  expect(levelsOf(judged(full))).toEqual([['connections', 'warn']])
  // The connections of a running service are already among those in use.
  expect(levelsOf(judged({ ...full, writers: 1 }))).toEqual([])
})

test('behavior: judges open files, memory and disk', () => {
  expect(openFilesFinding(null, 200).level).toBe('ok')
  expect(openFilesFinding(65_536, 200).level).toBe('ok')
  expect(openFilesFinding(1_024, 200)).toMatchObject({
    level: 'warn',
    advice: expect.stringContaining('ulimit -n'),
  })
  expect(openFilesFinding(200, 200).level).toBe('fail')
  const levels = (judge: (free: number) => DoctorFinding) =>
    [0.4e9, 1.5e9, 20e9].map((free) => judge(free).level)
  expect(levels((free) => memoryFinding(free, 32e9))).toEqual(['fail', 'warn', 'ok'])
  expect(marketMemoryFinding(4e9, 8e9)).toMatchObject({
    level: 'ok',
    text: 'Tokens and pairs of all chains may use 4.0 GB of 8.0 GB.',
  })
  expect(marketMemoryFinding(7e9, 8e9).level).toBe('warn')
  expect(levels((free) => diskFinding(free, '/data'))).toEqual(['fail', 'warn', 'ok'])
})

test('behavior: judges heads, of one node and compared with others', () => {
  const head = (timeS: number) =>
    headFinding('node', { number: 7, timeS }, { nowMs: () => 1_000_000, ageSMax: 60 })
  expect([head(1_000), head(940), head(1_010)].map(({ level }) => level)).toEqual([
    ...['ok', 'ok', 'ok'],
  ])
  expect(head(939)).toMatchObject({ level: 'warn', text: 'Block 7, 61 s old.' })
  expect(head(1_016)).toMatchObject({ level: 'fail', text: 'Block 7 is 16 s in the future.' })
  const behind = (blockS: number) =>
    lagFindings(
      [1_000, 990, 984, 983, 851].map((number) => ({
        name: `n${number}`,
        head: number,
        timeS: Math.floor(number * blockS),
      })),
    ).map(({ subject, level }) => `${subject} ${level}`)
  expect(behind(12)).toEqual(['n983 warn', 'n851 warn'])
  expect(behind(0.2)).toEqual([])
  expect(behind(0.25)).toEqual(['n851 warn'])
})

test('behavior: nodes agree, differ, or lack a block', () => {
  const agreement = (...hashes: (string | null)[]) =>
    agreementFinding(
      'eth',
      5,
      hashes.map((hash, at) => ({ name: `n${at}`, hash })),
    )
  expect(agreement('0xa', '0xa').level).toBe('ok')
  expect(agreement('0xa', '0xb', '0xa')).toMatchObject({
    level: 'fail',
    text: 'Block 5 is 0xa by n0, n2; 0xb by n1.',
  })
  expect(agreement('0xa', null)).toMatchObject({
    level: 'fail',
    text: expect.stringContaining('no block by n1'),
  })
})

test('behavior: reports the median latency', async () => {
  const times = [0, 100, 100, 800, 800, 1_401, 1_401, 2_001, 2_001, 2_051]
  const next = () => times.shift()!
  const slow = await latencyFinding('node', async () => null, next)
  expect(slow).toMatchObject({ level: 'warn', text: '600 ms per request (median of 5).' })
  expect(
    (
      await latencyFinding(
        'node',
        async () => null,
        () => 0,
      )
    ).level,
  ).toBe('ok')
})
