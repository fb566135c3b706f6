import { expect, test } from 'vitest'
import { pairColumns } from '../tables/pairTable.ts'
import { UndoLog } from '../tables/undoLog.ts'
import { walletHash } from '../tables/walletHash.ts'
import { DistinctWallets } from './distinctWallets.ts'
import { WalletCounts } from './walletCounts.ts'

const day = 17_280
const start = 340_000_000

test('behavior: above the limit the table holds a sample', () => {
  const makers = new DistinctWallets(new UndoLog(), 4_096)
  const pair = new Float64Array(pairColumns.length)
  for (let index = 0; index < 100_000; index += 1)
    makers.trade(pair, 0, walletHash(`wallet-${index}`), index % 4 === 0, start)
  expect(makers.slots.count).toBeLessThan(40_000)
})

test('behavior: expired wallets make room instead of growing the table', () => {
  const makers = new DistinctWallets(new UndoLog(), 32_768)
  const pair = new Float64Array(pairColumns.length)
  for (let today = 0; today < 30; today += 1)
    for (let index = 0; index < 100; index += 1)
      makers.trade(pair, 0, walletHash(`${today}/${index}`), true, start + today * day * 2)
  expect(makers.slots.count).toBeLessThan(2_000)
  expect(makers.countWallets(pair, 0, start + 29 * day * 2 - 1)).toBe(100)
})

test.each([1, 2, 3, 4, 7, 8])(
  'behavior: a sale %i buckets before the last purchase counts for exactly the windows it is in',
  (age) => {
    const makers = new DistinctWallets(new UndoLog(), 64)
    const counts = new WalletCounts(makers)
    const data = new Float64Array(pairColumns.length)
    const hash = walletHash('wallet')
    makers.trade(data, 0, hash, false, start)
    // The second purchase carries the sale's age on.
    for (const bucket of [start + age, start + 2 * age]) makers.trade(data, 0, hash, true, bucket)
    const sellersAfter = (bucket: number) => {
      counts.count([{ data, at: 0 }], () => bucket)
      return counts.sellers[0]
    }
    expect([sellersAfter(start - 1), sellersAfter(start)]).toEqual([1, 0])
    expect(makers.countWallets(data, 0, start + 2 * age - 1)).toBe(1)
    expect(makers.countWallets(data, 0, start + 2 * age)).toBe(0)
  },
)
