import fc from 'fast-check'
import { expect, test } from 'vitest'
import { emptyPosition, type PositionTrade, positionAfterTrade } from './position.ts'

const trade = fc.record<PositionTrade>({
  isBuy: fc.boolean(),
  amountRaw: fc.bigInt({ min: 1n, max: 10n ** 24n }),
  usdE8: fc.oneof(fc.constant(0n), fc.bigInt({ min: 1n, max: 10n ** 16n })),
  timeS: fc.constant(0),
})
const trades = fc
  .array(trade, { maxLength: 60 })
  .map((list) => list.map((one, at) => ({ ...one, timeS: 1_000 + at })))

type Fraction = { over: bigint; under: bigint }
const add = (a: Fraction, b: Fraction): Fraction => ({
  over: a.over * b.under + b.over * a.under,
  under: a.under * b.under,
})
const times = (a: Fraction, over: bigint, under: bigint): Fraction =>
  reduced({ over: a.over * over, under: a.under * under })
function reduced({ over, under }: Fraction): Fraction {
  let [a, b] = [over < 0n ? -over : over, under]
  while (b !== 0n) [a, b] = [b, a % b]
  return a === 0n ? { over: 0n, under: 1n } : { over: over / a, under: under / a }
}
const zero: Fraction = { over: 0n, under: 1n }
const less = (a: Fraction): Fraction => ({ over: -a.over, under: a.under })

/**
 * The same with exact fractions: every held unit has the average cost of the purchases it came
 * from.
 */
function naive(list: readonly PositionTrade[]) {
  let held = 0n
  let averageCost = zero
  let profit = zero
  for (const { isBuy, amountRaw, usdE8 } of list) {
    if (isBuy) {
      if (usdE8 === 0n) continue
      const cost = add(times(averageCost, held, 1n), { over: usdE8, under: 1n })
      held += amountRaw
      averageCost = times(cost, 1n, held)
      continue
    }
    const covered = amountRaw < held ? amountRaw : held
    if (usdE8 > 0n) {
      const proceeds = { over: usdE8 * covered, under: amountRaw }
      profit = reduced(add(profit, add(proceeds, less(times(averageCost, covered, 1n)))))
    }
    held -= covered
    if (held === 0n) averageCost = zero
  }
  return { held, cost: times(averageCost, held, 1n), profit }
}

const distance = (whole: bigint, { over, under }: Fraction): number => {
  const difference = whole * under - over
  return Number((difference < 0n ? -difference : difference) / under)
}

test('behavior: profit and cost are those of exact fractions, but for a 1e-8 USD at each sale', () => {
  fc.assert(
    fc.property(trades, (list) => {
      const position = list.reduce(positionAfterTrade, emptyPosition)
      const exact = naive(list)
      const sales = list.filter(({ isBuy }) => !isBuy).length
      expect(position.heldRaw).toBe(exact.held)
      expect(distance(position.profitUsdE8, exact.profit)).toBeLessThanOrEqual(2 * sales)
      expect(distance(position.costUsdE8, exact.cost)).toBeLessThanOrEqual(sales)
    }),
  )
})

test('behavior: nothing is lost or made', () => {
  fc.assert(
    fc.property(trades, (list) => {
      const position = list.reduce(positionAfterTrade, emptyPosition)
      const unpriced = list.filter(({ isBuy, usdE8 }) => isBuy && usdE8 === 0n)
      const unpricedRaw = unpriced.reduce((sum, { amountRaw }) => sum + amountRaw, 0n)
      const coveredRaw = position.soldRaw - position.uncoveredRaw
      expect(position.heldRaw + coveredRaw + unpricedRaw).toBe(position.boughtRaw)
      expect(position.buyCount + position.sellCount).toBe(list.length)
      if (list.every(({ isBuy, usdE8 }) => isBuy || usdE8 > 0n))
        expect(position.costUsdE8 + position.soldCostUsdE8).toBe(position.boughtUsdE8)
    }),
  )
})

test('default: bought twice, sold once at the average cost', () => {
  const buy = (amountRaw: bigint, usdE8: bigint, timeS: number): PositionTrade => ({
    isBuy: true,
    amountRaw,
    usdE8,
    timeS,
  })
  const list = [buy(10n, 100n, 1), buy(10n, 300n, 2), { ...buy(5n, 200n, 3), isBuy: false }]
  expect(list.reduce(positionAfterTrade, emptyPosition)).toMatchObject({
    heldRaw: 15n,
    costUsdE8: 300n,
    profitUsdE8: 100n,
    soldCostUsdE8: 100n,
    uncoveredRaw: 0n,
    firstBuyS: 1,
    lastBuyS: 2,
    firstSellS: 3,
    maxBuyUsdE8: 300n,
  })
})
