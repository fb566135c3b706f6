import { expect, test } from 'vitest'
import { createRandom } from '../../../../test/support/random.ts'
import { Makers } from './makers.ts'
import { pairColumns } from './pairTable.ts'
import { UndoLog } from './undoLog.ts'
import { walletHash } from './walletHash.ts'

const day = 17_280
const start = 340_000_000

test('behavior: exact against sets, for every window', () => {
  const random = createRandom(1)
  const makers = new Makers(new UndoLog(), 32_768)
  const pair = new Float64Array(pairColumns)
  const trades: { wallet: string; isBuy: boolean; bucket: number }[] = []
  for (let index = 0; index < 20_000; index += 1) {
    const wallet = `wallet-${Math.floor(random() ** 3 * 9_000)}`
    const trade = { wallet, isBuy: random() < 0.5, bucket: start + index }
    trades.push(trade)
    makers.trade(pair, 0, walletHash(wallet), trade.isBuy, trade.bucket)
  }
  const now = start + 20_000 - 1
  for (const length of [12, 60, 720, day]) {
    const inside = trades.filter(({ bucket }) => bucket > now - length)
    const count = (some: typeof trades) => new Set(some.map(({ wallet }) => wallet)).size
    expect(makers.count(pair, 0, now - length)).toEqual({
      makers: count(inside),
      buyers: count(inside.filter(({ isBuy }) => isBuy)),
      sellers: count(inside.filter(({ isBuy }) => !isBuy)),
    })
  }
})

test('behavior: above the limit the count is sampled within a few percent', () => {
  const makers = new Makers(new UndoLog(), 4_096)
  const pair = new Float64Array(pairColumns)
  const wallets = 100_000
  for (let index = 0; index < wallets; index += 1)
    makers.trade(pair, 0, walletHash(`wallet-${index}`), index % 4 === 0, start)
  const counts = makers.count(pair, 0, start - 1)
  // At least 2,048 are kept: three sigma are under 7 %.
  expect(Math.abs(counts.makers / wallets - 1)).toBeLessThan(0.07)
  expect(Math.abs(counts.buyers / (wallets / 4) - 1)).toBeLessThan(0.14)
  expect(makers.slots.count).toBeLessThan(40_000)
})

test('behavior: wallets of yesterday make room instead of growing the table', () => {
  const makers = new Makers(new UndoLog(), 32_768)
  const pair = new Float64Array(pairColumns)
  for (let today = 0; today < 30; today += 1)
    for (let index = 0; index < 100; index += 1)
      makers.trade(pair, 0, walletHash(`${today}/${index}`), true, start + today * day * 2)
  expect(makers.slots.count).toBeLessThan(2_000)
  expect(makers.count(pair, 0, start + 29 * day * 2 - 1).makers).toBe(100)
})
