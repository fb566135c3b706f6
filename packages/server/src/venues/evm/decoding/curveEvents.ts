import type { CurveTerms, DecodedSwap, PoolState } from '../../../model/decodedBlock.ts'
import type { EvmLog } from '../../../model/evm/evmBlock.ts'
import { nativeToken } from '../../../model/pool.ts'
import type { BlockScope } from './blockScope.ts'

const ppm = 1_000_000n
const zeroAddress = `0x${'0'.repeat(40)}`

/** Platforms name the native coin by the zero address. */
export function orNative(quote: string): string {
  return quote === zeroAddress ? nativeToken : quote
}

/** A part of a whole in millionths, never more than all of it. */
export function ppmOf(part: bigint, whole: bigint): number {
  if (whole <= 0n || part <= 0n) return 0
  return part >= whole ? Number(ppm) : Number((part * ppm) / whole)
}

/** A token that a platform sells on a curve, and what it is paid with. */
type Coin = { token: string; quote: string }

/**
 * The platform is the log's emitter. `pool`: where the curve is a contract of its own. `start`: what the curve sells
 * at first and for how much, where the transaction reports it; without a price it is left out.
 */
export function pushLaunch(
  log: EvmLog,
  scope: BlockScope,
  launch: Coin & { creator: string; pool?: string; start?: PoolState },
): void {
  const { token, quote, creator, start } = launch
  const { logIndex: index, transactionHash: txHash } = log
  const wallet = scope.walletOr(creator)
  const pool = launch.pool ?? scope.options.poolIds.curveOf(log.address, token, quote)
  scope.push({
    type: 'launch',
    index,
    txHash,
    wallet,
    platform: log.address,
    pool,
    token0: token,
    token1: quote,
    creator,
    venues: scope.venues,
  })
  const { venues } = scope
  if (start && start.priceRaw !== null)
    scope.push({ type: 'sync', index, txHash, wallet, pool, ...start, venues })
}

type CurveTrade = Coin &
  Pick<DecodedSwap, 'reserve0' | 'reserve1' | 'priceRaw'> & {
    trader: string
    isBuy: boolean
    tokenAmount: bigint
    quoteAmount: bigint
    /** Null: nothing tells how full the curve is. */
    filledPpm: number | null
  }

/** A trade on a curve, and how full it left the curve. */
export function pushCurveTrade(log: EvmLog, scope: BlockScope, trade: CurveTrade): void {
  const { token, quote, trader, isBuy, tokenAmount, quoteAmount, filledPpm } = trade
  const { reserve0, reserve1, priceRaw } = trade
  const { logIndex: index, transactionHash: txHash } = log
  const wallet = scope.walletOr(trader)
  const pool = scope.options.poolIds.curveOf(log.address, token, quote)
  scope.push({
    type: 'swap',
    index,
    txHash,
    wallet,
    pool,
    curve: termsOf(log, scope, { token, quote }),
    sender: trader,
    to: trader,
    amount0: isBuy ? -tokenAmount : tokenAmount,
    amount1: isBuy ? quoteAmount : -quoteAmount,
    reserve0,
    reserve1,
    priceRaw,
    venues: scope.venues,
  })
  if (filledPpm !== null) scope.push({ type: 'curve', index, txHash, wallet, pool, filledPpm })
}

/** The token trades in a pool of a DEX at once: the platform has no curve. */
export function pushPoolLaunch(
  log: EvmLog,
  scope: BlockScope,
  { token, quote, creator, pool }: Coin & { creator: string; pool: string },
): void {
  scope.push({
    type: 'launch',
    index: log.logIndex,
    txHash: log.transactionHash,
    wallet: scope.walletOr(creator),
    platform: log.address,
    pool,
    isInPool: true,
    token0: token,
    token1: quote,
    creator,
  })
}

/** The curve gave all it had to a pool. */
export function pushGraduation(
  log: EvmLog,
  scope: BlockScope,
  { token, quote, pool }: Coin & { pool: string },
): void {
  const { logIndex: index, transactionHash: txHash } = log
  const wallet = scope.walletOr(log.address)
  const curve = scope.options.poolIds.curveOf(log.address, token, quote)
  const terms = termsOf(log, scope, { token, quote })
  scope.push({ type: 'graduation', index, txHash, wallet, curve, pool, terms })
  // All the curve held is in the pool now and would be counted twice.
  const reserves = { reserve0: 0n, reserve1: 0n, priceRaw: null }
  const { venues } = scope
  scope.push({ type: 'sync', index, txHash, wallet, pool: curve, ...reserves, venues })
}

function termsOf(log: EvmLog, { venues }: BlockScope, { token, quote }: Coin): CurveTerms {
  return { platform: log.address, token0: token, token1: quote, venue: venues[0] }
}
