import type { CurveTerms, PoolState } from '../../../model/decodedBlock.ts'
import { pushSwap, type SwapParts, traderOf } from './poolEvents.ts'
import type { TransactionScope } from './transactionScope.ts'

export const fullPpm = 1_000_000

/** A part of a whole in millionths, at most all of it. */
export function ppmOf(part: bigint, whole: bigint): number {
  if (whole <= 0n || part <= 0n) return 0
  return part >= whole ? fullPpm : Number((part * BigInt(fullPpm)) / whole)
}

export type CurveTrade = Omit<SwapParts, 'curve' | 'tokens'> & {
  terms: CurveTerms
  /** Null if the trade does not show the curve's progress. */
  filledPpm: number | null
}

/** Pushes a trade on a launch curve, with the progress after it. */
export function pushCurveTrade(scope: TransactionScope, trade: CurveTrade): void {
  const { terms, filledPpm, ...parts } = trade
  pushSwap(scope, { ...parts, tokens: [terms.token0, terms.token1], curve: terms })
  if (filledPpm === null) return
  const wallet = traderOf(parts.user, scope)
  scope.pushBeside({ type: 'curve', wallet, pool: parts.pool, filledPpm })
}

export type Launch = {
  terms: CurveTerms
  pool: string
  creator: string
  user: number
  /**
   * Supply and price at the start of the curve. Null or without a price if the launch does not
   * report them.
   */
  start: PoolState | null
}

export function pushLaunch(scope: TransactionScope, launch: Launch): void {
  const { terms, pool, creator, user, start } = launch
  const { platform, token0, token1 } = terms
  const wallet = traderOf(user, scope)
  scope.push({
    type: 'launch',
    wallet,
    platform,
    pool,
    token0,
    token1,
    creator,
    venues: scope.venues,
  })
  if (start === null || start.priceRaw === null) return
  const tokens = [token0, token1] as const
  scope.pushBeside({ type: 'sync', wallet, pool, tokens, ...start, venues: scope.venues })
}

export type Graduation = { curve: string; pool: string; terms: CurveTerms; user: number }

/** Pushes the end of a curve whose liquidity went to a pool. */
export function pushGraduation(scope: TransactionScope, graduation: Graduation): void {
  const { curve, pool, terms, user } = graduation
  const wallet = traderOf(user, scope)
  scope.push({ type: 'graduation', wallet, curve, pool, terms })
  // The pool now holds what the curve held; both would count it twice.
  const reserves = { reserve0: 0n, reserve1: 0n, priceRaw: null }
  scope.pushBeside({ type: 'sync', wallet, pool: curve, ...reserves, venues: scope.venues })
}
