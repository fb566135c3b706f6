import { expect, test } from 'vitest'
import {
  createWriteSequence,
  klineEvent,
  liquidityEvent,
  swapEvent,
} from '../../../../../../test/support/storeWrites.ts'
import type { BlockWrite, SequencedWrite } from '../../blockWrite.ts'
import { dayS, defaultRetention, type Retention } from '../../retention.ts'
import { blockOf, encodeBatch } from './batchRows.ts'
import { CopyBytes } from './copyBinary.ts'
import { addKlineRow, addLiquidityRow, addLogRow, addSwapRow } from './historyRows.ts'

const today = 20_000
const nowS = today * dayS + 100
const placed = (write: BlockWrite, seq = write.expectedSeq + 1): SequencedWrite => ({
  ...write,
  seq,
  cursorAfter: { ...write.headAfter, seq },
})
const texts = new WeakMap<CopyBytes, string>()
/** All bytes. Rows can be finished only once. */
function textOf(rows: CopyBytes): string {
  const text = texts.get(rows) ?? rows.finish().toString('hex')
  texts.set(rows, text)
  return text
}
const encoded = (add: (rows: CopyBytes) => void) => {
  const rows = new CopyBytes()
  add(rows)
  return textOf(rows)
}

test('rows of each table are those of its events, and their days are known', async () => {
  const tape = createWriteSequence(7)
  const [swap, change] = [swapEvent(1, 0), liquidityEvent(2, 3)]
  const klines = [klineEvent(0, 0, nowS - 1), klineEvent(1, 1, nowS - 60), klineEvent(2, 5, 60)]
  const first = tape.commit({ timeS: nowS, events: [swap, change, ...klines] })
  const second = tape.finalize(0)
  const rows = await encodeBatch([placed(first, 31), placed(second, 32)], defaultRetention)
  const block = blockOf(first)!
  expect(block).toBe(first.entries[0]!.ref)
  expect(blockOf(second)).toBe(null)
  expect(textOf(rows.bytes.log)).toBe(
    encoded((log) => {
      addLogRow(log, 7, 31, first.entries[0]!, [])
      addLogRow(log, 7, 32, second.entries[0]!, [])
    }),
  )
  expect(textOf(rows.bytes.swaps)).toBe(encoded((one) => addSwapRow(one, 7, block, swap)))
  expect(textOf(rows.bytes.liquidity)).toBe(
    encoded((one) => addLiquidityRow(one, 7, block, change)),
  )
  for (const [at, table] of (['klines_s1', 'klines_k1', 'klines'] as const).entries())
    expect(textOf(rows.bytes[table]), table).toBe(
      encoded((one) => addKlineRow(one, 7, block, klines[at]!.rows, 0)),
    )
  const day = new Set([today])
  expect(rows.days).toEqual({
    log: day,
    swaps: day,
    liquidity: day,
    klines_s1: day,
    klines_k1: day,
  })
  expect(rows.swapsFromS).toBe(null)
})

const oneDay: Retention = { log: 1, swaps: 1, liquidity: 1, klines_s1: 1, klines_k1: 1 }

test.each([
  ['a day ago is kept', 1, undefined, true],
  ['two days ago is dropped', 2, undefined, false],
  ['two days ago is kept while the chain itself is a day behind', 2, nowS - dayS, true],
  ['two days ago is dropped though the chain is ahead of the clock', 2, nowS + 9 * dayS, false],
])('what happened %s', async (_, daysAgo, tipTimeS, isKept) => {
  const timeS = nowS - daysAgo * dayS
  const events = [
    ...[swapEvent(1, 0), liquidityEvent(2, 0)],
    ...[klineEvent(0, 0, timeS), klineEvent(0, 1, timeS), klineEvent(0, 5, timeS)],
  ]
  const options = { timeS, nowS, events, ...(tipTimeS === undefined ? {} : { tipTimeS }) }
  const rows = await encodeBatch([placed(createWriteSequence(1).commit(options))], oneDay)
  const nothing = textOf(new CopyBytes())
  for (const table of ['swaps', 'liquidity', 'klines_s1', 'klines_k1'] as const) {
    expect(textOf(rows.bytes[table]) !== nothing, table).toBe(isKept)
    expect([...rows.days[table]]).toEqual(isKept ? [today - daysAgo] : [])
  }
  // Long klines and the log are kept at any age.
  expect(textOf(rows.bytes.klines)).not.toBe(nothing)
  expect([...rows.days.log]).toEqual([today - daysAgo])
  expect(rows.swapsFromS).toBe(isKept ? null : (today - daysAgo + 1) * dayS)
})

test('created and graduated pairs are in the log entry of their block', async () => {
  const tape = createWriteSequence(1)
  const launch = { type: 'launch', state: 'graduated', tokenId: 0, pairId: 3 } as const
  const write = tape.commit({ timeS: nowS, events: [launch] })
  const rows = await encodeBatch([placed(write)], defaultRetention)
  const withNews = (news: number[]) =>
    encoded((log) => addLogRow(log, 1, 1, write.entries[0]!, news))
  expect(textOf(rows.bytes.log)).toBe(withNews([-4]))
  expect(textOf(rows.bytes.log)).not.toBe(withNews([]))
})

test('many rows are encoded in several turns, all of them', async () => {
  const tape = createWriteSequence(1)
  const events = Array.from({ length: 700 }, (_, at) => swapEvent(at, 0))
  const writes = [1, 2, 3].map(() => placed(tape.commit({ timeS: nowS, events })))
  let isTurnOver = false
  setImmediate(() => {
    isTurnOver = true
  })
  const rows = await encodeBatch(writes, defaultRetention)
  expect(isTurnOver).toBe(true)
  expect(textOf(rows.bytes.swaps)).toBe(
    encoded((one) => {
      for (const write of writes)
        for (const event of events) addSwapRow(one, 1, blockOf(write)!, event)
    }),
  )
})
