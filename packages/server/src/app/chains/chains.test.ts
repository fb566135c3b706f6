import { pino } from 'pino'
import { expect, test } from 'vitest'
import { warnOfEarlierStart } from './chains.ts'

/** The warnings for a start block on a chain whose history begins so. */
async function warningsOf(startBlock: number | 'latest', firstNumber: number | null) {
  const lines: Record<string, unknown>[] = []
  const logger = pino({ base: null }, { write: (line) => void lines.push(JSON.parse(line)) })
  const cursor = { seq: 9, number: 120, hash: 'h', finalized: 110, swapsFromS: null }
  const store = { loadCursor: async (chainId: number) => ({ ...cursor, chainId, firstNumber }) }
  await warnOfEarlierStart({ store, logger }, { chain: 'eth', chainId: 4, startBlock })
  return lines
}

test('default: a start block before the first stored one', async () => {
  expect(await warningsOf(99, 100)).toMatchObject([
    {
      ...{ level: 40, chain: 'eth', startBlock: 99, firstBlock: 100 },
      hint: expect.stringContaining('chaintape backfill'),
    },
  ])
})

test.each([
  ['the first stored one', 100, 100],
  ['a later one', 101, 100],
  ['the newest', 'latest', 100],
  ['any on a chain without a block, or whose first block nobody noted', 5, null],
] as const)('behavior: no warning for %s', async (_, startBlock, firstNumber) => {
  expect(await warningsOf(startBlock, firstNumber)).toEqual([])
})
