import { pino } from 'pino'
import { expect, test } from 'vitest'
import { warnOfEarlierStart } from './historyStart.ts'

/** The warnings for a start block on a chain whose log begins so. */
async function warningsOf(
  startBlock: number | 'latest',
  logStart: { seq: number; number: number } | null,
) {
  const lines: Record<string, unknown>[] = []
  const logger = pino({ base: null }, { write: (line) => void lines.push(JSON.parse(line)) })
  const store = { findLogStart: async (chainId: number) => (chainId === 4 ? logStart : null) }
  await warnOfEarlierStart({ store, logger }, { chain: 'eth', chainId: 4, startBlock })
  return lines
}

test('default: a start block before the first stored one', async () => {
  expect(await warningsOf(99, { seq: 1, number: 100 })).toMatchObject([
    {
      ...{ level: 40, chain: 'eth', startBlock: 99, firstBlock: 100 },
      hint: expect.stringContaining('chaintape backfill'),
    },
  ])
})

test.each([
  ['the first stored one', 100, { seq: 1, number: 100 }],
  ['a later one', 101, { seq: 1, number: 100 }],
  ['the newest', 'latest', { seq: 1, number: 100 }],
  ['any on a chain without a block', 5, null],
  ['any where the log no longer tells', 5, { seq: 900, number: 100 }],
] as const)('behavior: no warning for %s', async (_, startBlock, logStart) => {
  expect(await warningsOf(startBlock, logStart)).toEqual([])
})
