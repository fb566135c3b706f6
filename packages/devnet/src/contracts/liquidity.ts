import { type Address, encodeFunctionData } from 'viem'
import { positionsAbi, routerV2Abi } from './abi.ts'
import type { Call } from './builder.ts'
import type { Deployment, ListedPool } from './deployment.ts'

/** Far in the future: deadlines are not tested here. */
export const deadlineS = 10_000_000_000n

export type Amounts = { base: bigint; quote: bigint }

const spacings: Record<number, number> = { 500: 10, 3000: 60, 10000: 200 }

/** The whole price range, on the pool's tick spacing. */
export function fullRange(fee: number): { tickLower: number; tickUpper: number } {
  const spacing = spacings[fee]!
  const tickUpper = Math.floor(887_272 / spacing) * spacing
  return { tickLower: -tickUpper, tickUpper }
}

/** A range around a tick, at least one spacing wide on each side. */
export function rangeAround(fee: number, tick: number, width: number) {
  const spacing = spacings[fee]!
  const { tickLower, tickUpper } = fullRange(fee)
  return {
    tickLower: Math.max(tickLower, Math.floor((tick - width) / spacing) * spacing - spacing),
    tickUpper: Math.min(tickUpper, Math.ceil((tick + width) / spacing) * spacing + spacing),
  }
}

/** A V2 deposit. The native side is sent as value; the excess comes back. */
export function addLiquidityV2(
  deployment: Deployment,
  pool: Pick<ListedPool, 'base' | 'quote'>,
  from: Address,
  amounts: Amounts,
): Call {
  const { weth, routerV2 } = deployment
  const { base, quote } = pool
  const gas = 4_000_000
  if (base !== weth && quote !== weth) {
    const args = [base, quote, amounts.base, amounts.quote, 0n, 0n, from, deadlineS] as const
    const data = encodeFunctionData({ abi: routerV2Abi, functionName: 'addLiquidity', args })
    return { from, to: routerV2, data, gas }
  }
  const [token, amount, value] =
    base === weth ? [quote, amounts.quote, amounts.base] : [base, amounts.base, amounts.quote]
  const args = [token, amount, 0n, 0n, from, deadlineS] as const
  const data = encodeFunctionData({ abi: routerV2Abi, functionName: 'addLiquidityETH', args })
  return { from, to: routerV2, data, value, gas }
}

/** A new V3 position. */
export function mintPosition(
  deployment: Deployment,
  pool: Pick<ListedPool, 'base' | 'quote' | 'fee'>,
  from: Address,
  amounts: Amounts,
  range: { tickLower: number; tickUpper: number },
): Call {
  const { weth, positions } = deployment
  const isBaseFirst = pool.base < pool.quote
  const params = {
    token0: isBaseFirst ? pool.base : pool.quote,
    token1: isBaseFirst ? pool.quote : pool.base,
    fee: pool.fee,
    ...range,
    amount0Desired: isBaseFirst ? amounts.base : amounts.quote,
    amount1Desired: isBaseFirst ? amounts.quote : amounts.base,
    amount0Min: 0n,
    amount1Min: 0n,
    recipient: from,
    deadline: deadlineS,
  }
  const mint = encodeFunctionData({ abi: positionsAbi, functionName: 'mint', args: [params] })
  const refund = encodeFunctionData({ abi: positionsAbi, functionName: 'refundETH' })
  const args = [[mint, refund]] as const
  const data = encodeFunctionData({ abi: positionsAbi, functionName: 'multicall', args })
  const value = pool.base === weth ? amounts.base : pool.quote === weth ? amounts.quote : 0n
  return { from, to: positions, data, value, gas: 1_500_000 }
}

/** Opens a V3 pool at the price that the amounts imply. */
export function createPoolV3(
  deployment: Deployment,
  pool: Pick<ListedPool, 'base' | 'quote' | 'fee'>,
  from: Address,
  amounts: Amounts,
): Call {
  const isBaseFirst = pool.base < pool.quote
  const [token0, token1] = isBaseFirst ? [pool.base, pool.quote] : [pool.quote, pool.base]
  const [amount0, amount1] = isBaseFirst
    ? [amounts.base, amounts.quote]
    : [amounts.quote, amounts.base]
  const sqrtPriceX96 = squareRoot((amount1 << 192n) / amount0)
  const args = [token0, token1, pool.fee, sqrtPriceX96] as const
  const functionName = 'createAndInitializePoolIfNecessary'
  const data = encodeFunctionData({ abi: positionsAbi, functionName, args })
  return { from, to: deployment.positions, data, gas: 6_000_000 }
}

function squareRoot(value: bigint): bigint {
  if (value < 2n) return value
  let root = 1n << BigInt((value.toString(2).length + 1) >> 1)
  for (;;) {
    const next = (root + value / root) >> 1n
    if (next >= root) return root
    root = next
  }
}
