// Rolling windows computed from a plain list of trades, with bigints and sets, to check the
// engine's incremental windows.
import type { Engine } from '../../packages/server/src/engine/engine.ts'
import { type MarketWindow, windowsS } from '../../packages/server/src/engine/marketReads.ts'
import type { MarketEvent, SwapEvent } from '../../packages/server/src/model/marketEvent.ts'

/**
 * A swap from the view of one of the pair's tokens: a buyer of the target token sells the quote
 * token.
 */
export type BruteForceTrade = { event: SwapEvent; timeS: number; side: 0 | 1; isBuy: boolean }

export function bruteForceWindow(
  trades: readonly BruteForceTrade[],
  window: number,
  nowS: number,
  /** Current price of the token or pair; 0 if unknown. */
  currentUsd: number,
): MarketWindow {
  const lengthS = window < 2 ? 5 : 60
  const firstBucket = Math.floor(nowS / lengthS) - windowsS[window]! / lengthS + 1
  const inside = trades.filter(({ timeS }) => Math.floor(timeS / lengthS) >= firstBucket)
  const before = trades.filter(({ timeS }) => Math.floor(timeS / lengthS) < firstBucket)
  const isRoundTrip = (one: BruteForceTrade) =>
    trades.some(
      ({ event, timeS }) =>
        event.swap.pairId === one.event.swap.pairId &&
        event.swap.wallet === one.event.swap.wallet &&
        event.isBuy !== one.event.isBuy &&
        Math.abs(timeS - one.timeS) <= 60,
    )
  const sum = (some: readonly BruteForceTrade[]) =>
    some.reduce((total, { event }) => total + BigInt(event.amountUsdE8), 0n)
  const buys = inside.filter(({ isBuy }) => isBuy)
  const sells = inside.filter(({ isBuy }) => !isBuy)
  const wallets = (some: readonly BruteForceTrade[]) =>
    new Set(some.map(({ event }) => event.swap.wallet)).size
  const priced = (some: readonly BruteForceTrade[]) =>
    some.map(priceUsd).filter((price) => price !== 0)
  const openUsd = priced(before).at(-1) ?? priced(inside)[0] ?? 0
  const closeUsd = priced(trades).at(-1) ?? 0
  const prices = [openUsd, ...priced(inside), currentUsd].filter((price) => price !== 0)
  return {
    buyVolumeUsdE8: sum(buys),
    sellVolumeUsdE8: sum(sells),
    organicVolumeUsdE8: sum(inside.filter((trade) => !isRoundTrip(trade))),
    buyCount: buys.length,
    sellCount: sells.length,
    amountRaw: inside.reduce((total, { event, side }) => {
      const amount = side === 0 ? event.swap.amount0 : event.swap.amount1
      return total + (amount < 0n ? -amount : amount)
    }, 0n),
    makers: wallets(inside),
    buyers: wallets(buys),
    sellers: wallets(sells),
    highUsd: prices.length === 0 ? null : Math.max(...prices),
    lowUsd: prices.length === 0 ? null : Math.min(...prices),
    changePercent: openUsd === 0 ? null : (closeUsd / openUsd - 1) * 100,
    changesAtS: inside.reduce(
      (atS, { timeS }) => Math.min(atS, Math.floor(timeS / lengthS) * lengthS + windowsS[window]!),
      Number.POSITIVE_INFINITY,
    ),
  }
}

/** The last price before 00:00 UTC, or the day's first price. */
export function bruteForceDayOpenUsd(
  trades: readonly BruteForceTrade[],
  nowS: number,
): number | null {
  const isEarlier = ({ timeS }: BruteForceTrade) =>
    new Date(timeS * 1_000) < new Date(midnight(nowS))
  const priced = trades.filter((trade) => priceUsd(trade) !== 0)
  const open = priced.findLast(isEarlier) ?? priced[0]
  return open === undefined ? null : priceUsd(open)
}

function midnight(nowS: number): string {
  return new Date(nowS * 1_000).toISOString().slice(0, 10)
}

export function priceUsd({ event, side }: BruteForceTrade): number {
  return (side === 0 ? event.quote.price0Usd : event.quote.price1Usd) ?? 0
}

/** The pair's last price at the quote token's current rate; 0 if unknown. */
export function currentUsdOf(engine: Engine, pairId: number): number {
  const { record, targetTokenId, price0Usd, price1Usd } = engine.pairState(pairId)
  return (record.token0Id === targetTokenId ? price0Usd : price1Usd) ?? 0
}

/** The swaps of a block, each from the view of its target token. */
export function tradesOf(
  events: readonly MarketEvent[],
  timeS: number,
  engine: Engine,
): BruteForceTrade[] {
  return events.flatMap((event) => {
    if (event.type !== 'swap') return []
    const { record, targetTokenId } = engine.pairState(event.swap.pairId)
    const side = record.token0Id === targetTokenId ? (0 as const) : (1 as const)
    return [{ event, timeS, side, isBuy: event.isBuy }]
  })
}
