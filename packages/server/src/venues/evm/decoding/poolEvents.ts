import type { DecodedLiquidity, DecodedSwap, PoolReference } from '../../../model/decodedBlock.ts'
import type { EvmLog } from '../../../model/evm/evmBlock.ts'
import type { BlockScope } from './blockScope.ts'

/** numerator / denominator as a double, within 2.5 ulp; null if one side is zero. */
export function ratioOf(numerator: bigint, denominator: bigint): number | null {
  if (numerator === 0n || denominator === 0n) return null
  return Number(numerator) / Number(denominator)
}

type Movement = Pick<DecodedLiquidity, 'kind' | 'sender' | 'amount0' | 'amount1'>

/**
 * A liquidity event of the pool that emitted the log, without reserves: the log does not have them.
 */
export function liquidityEvent(log: EvmLog, scope: BlockScope, moved: Movement): DecodedLiquidity {
  return {
    type: 'liquidity',
    kind: moved.kind,
    sender: moved.sender,
    amount0: moved.amount0,
    amount1: moved.amount1,
    index: log.logIndex,
    txHash: log.transactionHash,
    wallet: scope.walletOr(moved.sender),
    pool: log.address,
    reserve0: null,
    reserve1: null,
    priceRaw: null,
    venues: scope.venues,
  }
}

type Trade = Pick<DecodedSwap, 'sender' | 'to' | 'amount0' | 'amount1'> &
  Pick<PoolReference, 'couple' | 'manager'> & {
    /** @default the contract that emitted the log */
    pool?: string | undefined
    /** @default the ratio of the amounts */
    priceRaw?: number | null | undefined
    told?: readonly bigint[] | undefined
  }

/**
 * A swap whose event has only amounts: reserves are balances, and the price is the ratio of the
 * amounts.
 */
export function swapEvent(log: EvmLog, scope: BlockScope, trade: Trade): DecodedSwap {
  const { sender, to, amount0, amount1, pool = log.address, couple, manager, told } = trade
  const { priceRaw = paidPrice(amount0, amount1) } = trade
  const swap: DecodedSwap = {
    type: 'swap',
    index: log.logIndex,
    txHash: log.transactionHash,
    wallet: scope.walletOr(sender),
    pool,
    sender,
    to,
    amount0,
    amount1,
    reserve0: null,
    reserve1: null,
    priceRaw,
    venues: scope.venues,
  }
  if (couple !== undefined) swap.couple = couple
  if (manager !== undefined) swap.manager = manager
  if (told !== undefined) swap.told = told
  return swap
}

/** Token1 per token0 of a one-for-one trade. */
function paidPrice(amount0: bigint, amount1: bigint): number | null {
  return amount0 > 0n === amount1 > 0n ? null : ratioOf(absolute(amount1), absolute(amount0))
}

export function absolute(amount: bigint): bigint {
  return amount < 0n ? -amount : amount
}

/** A trade of one token for another: amounts as the pool sees them, tokens ordered by address. */
export function tradeOf(
  [tokenIn, amountIn]: readonly [string, bigint],
  [tokenOut, amountOut]: readonly [string, bigint],
): { couple: readonly [string, string]; amount0: bigint; amount1: bigint } {
  return tokenIn < tokenOut
    ? { couple: [tokenIn, tokenOut], amount0: amountIn, amount1: -amountOut }
    : { couple: [tokenOut, tokenIn], amount0: -amountOut, amount1: amountIn }
}
