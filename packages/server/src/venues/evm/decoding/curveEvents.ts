import type { CurveTerms, DecodedSwap, PoolState } from '../../../model/decodedBlock.ts'
import type { EvmLog } from '../../../model/evm/evmBlock.ts'
import { nativeToken } from '../../../model/pool.ts'
import type { BlockScope } from './blockScope.ts'

const ppm = 1_000_000n
const zeroAddress = `0x${'0'.repeat(40)}`

/** Platforms use the zero address for the native coin. */
export function orNative(quote: string): string {
  return quote === zeroAddress ? nativeToken : quote
}

/** A part of a whole in millionths, at most all of it. */
export function ppmOf(part: bigint, whole: bigint): number {
  if (whole <= 0n || part <= 0n) return 0
  return part >= whole ? Number(ppm) : Number((part * ppm) / whole)
}

/** A token sold on a curve, and the token it is paid with. */
type Coin = { token: string; quote: string }

/**
 * Pushes a launch by the log's emitter. `pool` is the curve's contract, if it has one. `start` is
 * what the curve sells at first and its price, if the transaction reports them; without a price it
 * is left out.
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
    /** Null if the progress of the curve is unknown. */
    filledPpm: number | null
  }

/** Pushes a trade on a curve, with the progress after it. */
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

/** Pushes a token that trades in a DEX pool at once: the platform has no curve. */
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

/** Pushes the end of a curve whose liquidity went to a pool. */
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
  // The pool now holds what the curve held; both would count it twice.
  const reserves = { reserve0: 0n, reserve1: 0n, priceRaw: null }
  const { venues } = scope
  scope.push({ type: 'sync', index, txHash, wallet, pool: curve, ...reserves, venues })
}

function termsOf(log: EvmLog, { venues }: BlockScope, { token, quote }: Coin): CurveTerms {
  return { platform: log.address, token0: token, token1: quote, venue: venues[0] }
}
