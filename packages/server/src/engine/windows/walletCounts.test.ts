import { describe, expect, test } from 'vitest'
import { createRandom } from '../../../../../test/support/random.ts'
import { pairColumns } from '../tables/pairTable.ts'
import { UndoLog } from '../tables/undoLog.ts'
import { walletHash } from '../tables/walletHash.ts'
import { DistinctWallets } from './distinctWallets.ts'
import { type DayRow, WalletCounts } from './walletCounts.ts'

const day = 17_280
const start = 340_000_000
const lengths = [12, 60, 180, 720, 2_880, day]

type Trade = { wallet: string; isBuy: boolean; bucket: number }

const createPairs = (count: number): DayRow[] =>
  Array.from({ length: count }, () => ({ data: new Float64Array(pairColumns.length), at: 0 }))

function expected(trades: readonly Trade[], nowBucket: number) {
  const countOf = (some: readonly Trade[]) => new Set(some.map(({ wallet }) => wallet)).size
  const inside = lengths.map((length) => trades.filter(({ bucket }) => bucket > nowBucket - length))
  return {
    makers: inside.map(countOf),
    buyers: inside.map((some) => countOf(some.filter(({ isBuy }) => isBuy))),
    sellers: inside.map((some) => countOf(some.filter(({ isBuy }) => !isBuy))),
  }
}

function counted(table: DistinctWallets, pairs: readonly DayRow[], nowBucket: number) {
  const counts = new WalletCounts(table)
  // Counts twice, because an earlier count must not influence the next.
  counts.count(pairs, () => 0)
  counts.count(pairs, (window) => nowBucket - lengths[window]!)
  const { wallets, buyers, sellers } = counts
  return { makers: [...wallets], buyers: [...buyers], sellers: [...sellers] }
}

describe.each([1, 2, 3, 4, 5, 9])('%i pairs', (pairCount) => {
  test('behavior: counts of every window equal those of sets', () => {
    const random = createRandom(pairCount)
    const table = new DistinctWallets(new UndoLog(), 32_768)
    const pairs = createPairs(pairCount)
    const trades: Trade[] = []
    for (let index = 0; index < 20_000; index += 1) {
      const wallet = `wallet-${Math.floor(random() ** 3 * 9_000)}`
      const trade = { wallet, isBuy: random() < 0.5, bucket: start + index }
      trades.push(trade)
      const { data } = pairs[Math.floor(random() ** 2 * pairCount)]!
      table.trade(data, 0, walletHash(wallet), trade.isBuy, trade.bucket)
    }
    const nowBucket = start + 20_000 - 1
    expect(counted(table, pairs, nowBucket)).toEqual(expected(trades, nowBucket))
  })

  test('behavior: above the limit the count is sampled within a few percent', () => {
    const table = new DistinctWallets(new UndoLog(), 4_096)
    const pairs = createPairs(pairCount)
    const wallets = 100_000
    for (let index = 0; index < wallets; index += 1)
      table.trade(
        pairs[index % pairCount]!.data,
        ...([0, walletHash(`wallet-${index}`), index % 4 === 0, start] as const),
      )
    const counts = counted(table, pairs, start)
    // At least 2,048 wallets are in the sample, so three sigma are below 7 %.
    expect(Math.abs(counts.makers[0]! / wallets - 1)).toBeLessThan(0.07)
    expect(Math.abs(counts.buyers[0]! / (wallets / 4) - 1)).toBeLessThan(0.14)
    expect(counts.makers).toEqual(lengths.map(() => counts.makers[0]))
  })
})

test('behavior: without trades all counts are 0', () => {
  const table = new DistinctWallets(new UndoLog(), 32_768)
  const none = lengths.map(() => 0)
  expect(counted(table, [], start)).toEqual({ makers: none, buyers: none, sellers: none })
  const quiet = createPairs(1)
  expect(counted(table, quiet, start)).toEqual({ makers: none, buyers: none, sellers: none })
})
