import { createDifferences, priceErrorMax } from './differences.ts'
import type { RecomputedPair } from './market.ts'

/** One swap as the service keeps it. */
export type ServedTrade = {
  blockNumber: number
  logIndex: number
  txHash: string
  wallet: string
  isBuy: boolean
  amount0: bigint
  amount1: bigint
  reserve0: bigint
  reserve1: bigint
  priceRaw: number
  /** Null if the service did not know the balance in time. */
  holding0: bigint | null
  holding1: bigint | null
  usdE8: bigint
  nativeRaw: bigint
}

/** All swaps of a pair, in chain order. */
export type ReadTrades = (pairAddress: string) => readonly ServedTrade[]

export function compareTrades(pair: RecomputedPair, actual: readonly ServedTrade[]): string[] {
  const differences = createDifferences(`${pair.kind} pair ${pair.address} trades`)
  const placeOf = (trade: { blockNumber: number; logIndex: number }) =>
    `${trade.blockNumber}/${trade.logIndex}`
  const places = (trades: readonly { blockNumber: number; logIndex: number }[]) =>
    trades.map(placeOf).join(' ')
  if (places(pair.trades) !== places(actual)) {
    differences.same('in block/log', places(pair.trades), places(actual))
    return differences.sentences
  }
  for (const [at, expected] of pair.trades.entries()) {
    const trade = actual[at]!
    const name = (field: string) => `${placeOf(trade)} ${field}`
    for (const field of ['txHash', 'wallet'] as const)
      differences.same(name(field), expected[field], trade[field])
    for (const field of ['amount0', 'amount1', 'reserve0', 'reserve1'] as const)
      differences.same(name(field), expected[field], trade[field])
    for (const field of ['holding0', 'holding1'] as const)
      if (trade[field] !== null) differences.same(name(field), expected[field], trade[field])
    differences.same(name('isBuy'), String(expected.isBuy), String(trade.isBuy))
    differences.near(name('priceRaw'), expected.priceRaw, trade.priceRaw, priceErrorMax)
    differences.inside(name('usdE8'), expected.usdE8, trade.usdE8)
    differences.inside(name('nativeRaw'), expected.nativeRaw, trade.nativeRaw)
  }
  return differences.sentences
}
