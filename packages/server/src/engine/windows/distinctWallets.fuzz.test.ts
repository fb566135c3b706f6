// Days of different activity on one or several pairs. Every window is counted again with sets from
// the plain list of trades. A window with few wallets must be exact, whatever happened on the days
// before.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { propertyRuns } from '../../../../../test/support/propertyRuns.ts'
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

function createMarket(exactMax: number, pairCount: number) {
  const table = new DistinctWallets(new UndoLog(), exactMax)
  const counts = new WalletCounts(table)
  const pairs: DayRow[] = Array.from({ length: pairCount }, () => ({
    data: new Float64Array(pairColumns.length),
    at: 0,
  }))
  let trades: Trade[] = []
  return {
    trade(pair: number, trade: Trade) {
      table.trade(pairs[pair]!.data, 0, walletHash(trade.wallet), trade.isBuy, trade.bucket)
      trades.push(trade)
    },
    /** Returns the engine's count and the exact count of every window. */
    windows(nowBucket: number) {
      trades = trades.filter(({ bucket }) => bucket > nowBucket - day)
      counts.count(pairs, (window) => nowBucket - lengths[window]!)
      return lengths.map((length, window) => {
        const inside = trades.filter(({ bucket }) => bucket > nowBucket - length)
        return {
          counted: {
            makers: counts.wallets[window]!,
            buyers: counts.buyers[window]!,
            sellers: counts.sellers[window]!,
          },
          exact: {
            makers: walletCount(inside),
            buyers: walletCount(inside.filter(({ isBuy }) => isBuy)),
            sellers: walletCount(inside.filter(({ isBuy }) => !isBuy)),
          },
        }
      })
    },
    day: (pair: number, nowBucket: number) =>
      table.countWallets(pairs[pair]!.data, 0, nowBucket - day),
  }
}

const walletCount = (trades: readonly Trade[]) => new Set(trades.map(({ wallet }) => wallet)).size

test.each([1, 3, 6])('behavior: windows with few wallets are exact with %i pairs', (pairCount) => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 2 ** 31 }),
      fc.integer({ min: 1, max: 40 }),
      // Number of trades in each quarter of a day, and of wallets among which they are spread.
      fc.array(fc.tuple(fc.constantFrom(0, 3, 20, 300), fc.constantFrom(2, 10, 40, 1_000)), {
        minLength: 1,
        maxLength: 16,
      }),
      (seed, exactMax, quarters) => {
        const random = createRandom(seed)
        const market = createMarket(exactMax, pairCount)
        let bucket = start
        for (const [tradeCount, wallets] of quarters) {
          for (let left = tradeCount; left > 0; left -= 1) {
            bucket += Math.floor((random() * day) / 2 / tradeCount)
            const wallet = `wallet-${Math.floor(random() ** 2 * wallets)}`
            const trade = { wallet, isBuy: random() < 0.5, bucket }
            market.trade(Math.floor(random() * pairCount), trade)
          }
          bucket += Math.floor((random() * day) / 4)
          for (const { counted, exact } of market.windows(bucket))
            if (exact.makers <= exactMax) expect(counted).toEqual(exact)
        }
      },
    ),
    { numRuns: propertyRuns(60, { isCheap: true }) },
  )
})

describe('busy days', () => {
  const exactMax = 1_024
  const sigma = 1 / Math.sqrt(exactMax)

  test.each([
    { daysWallets: [3_000, 300, 12_000, 900, 60_000, 60_000, 1_000, 5_000], pairCount: 1 },
    { daysWallets: [40_000, 400, 5_000, 1_000], pairCount: 3 },
    { daysWallets: [30_000, 600, 4_000, 1_024], pairCount: 7 },
  ])(
    'behavior: $daysWallets wallets on $pairCount pairs stay within the sampling error',
    ({ daysWallets, pairCount }) => {
      const random = createRandom(daysWallets.length)
      const market = createMarket(exactMax, pairCount)
      const errors: number[] = []
      let bucket = start
      for (const [index, wallets] of daysWallets.entries()) {
        const trades = wallets * (pairCount > 4 ? 4 : 1.5)
        const reads = 8
        for (let done = 1; done <= trades; done += 1) {
          const now = bucket + Math.floor((done * (day - 1)) / trades)
          const wallet = `${index}/${Math.floor(random() * wallets)}`
          const trade = { wallet, isBuy: random() < 0.5, bucket: now }
          market.trade(Math.floor(random() * pairCount), trade)
          if (done % Math.floor(trades / reads) !== 0) continue
          for (const { counted, exact } of market.windows(now)) {
            if (exact.makers <= exactMax) expect(counted).toEqual(exact)
            else errors.push(Math.abs(counted.makers / exact.makers - 1))
          }
        }
        bucket += day
      }
      expect(errors.length).toBeGreaterThan(20)
      expect(Math.max(...errors)).toBeGreaterThan(0)
      expect(Math.max(...errors)).toBeLessThan(4 * sigma)
      // One error in 370 is expected above three sigma, and errors of one day are correlated.
      expect(errors.filter((error) => error > 3 * sigma).length).toBeLessThan(errors.length / 50)
    },
  )
})

test('behavior: countMakers equals the 24 h window of a single pair', () => {
  const random = createRandom(7)
  const market = createMarket(64, 1)
  for (let index = 0; index < 5_000; index += 1) {
    const bucket = start + index * 5
    const wallet = `wallet-${Math.floor(random() * (index < 2_000 ? 2_000 : 50))}`
    market.trade(0, { wallet, isBuy: true, bucket })
    if (index % 50 === 0)
      expect(market.day(0, bucket)).toBe(market.windows(bucket).at(-1)!.counted.makers)
  }
})
