import { type Address, encodeFunctionData, type Hex } from 'viem'
import { routerV2Abi, routerV3Abi } from '../contracts/abi.ts'
import type { Deployment, ListedPool } from '../contracts/deployment.ts'
import { deadlineS } from '../contracts/liquidity.ts'
import type { Transaction } from '../node/lane.ts'
import { zeroAddress } from '../profile.ts'
import type { Intent } from './scene.ts'

export type SwapPool = Pick<ListedPool, 'venue' | 'fee' | 'base' | 'quote'>

/** Sells `amount` of one side of a pool. The native token goes in and comes out unwrapped. */
export function swap(
  deployment: Deployment,
  pool: SwapPool,
  owner: Address,
  tokenIn: Address,
  amount: bigint | { share: number },
): Intent {
  const spender = pool.venue === 'v2' ? deployment.routerV2 : deployment.routerV3
  const build = (amountIn: bigint) => swapTransaction(deployment, pool, owner, tokenIn, amountIn)
  if (tokenIn === deployment.weth && typeof amount === 'bigint')
    return { type: 'send', transaction: build(amount) }
  return { type: 'spend', owner, token: tokenIn, spender, amount, build }
}

export function swapTransaction(
  deployment: Deployment,
  pool: SwapPool,
  from: Address,
  tokenIn: Address,
  amountIn: bigint,
): Transaction {
  const tokenOut = tokenIn === pool.base ? pool.quote : pool.base
  const value = tokenIn === deployment.weth ? amountIn : 0n
  return pool.venue === 'v2'
    ? {
        from,
        to: deployment.routerV2,
        data: encodeV2(deployment.weth, from, tokenIn, tokenOut, amountIn),
        value,
        gas: 400_000,
      }
    : {
        from,
        to: deployment.routerV3,
        data: encodeV3(deployment.weth, from, tokenIn, tokenOut, pool.fee, amountIn),
        value,
        gas: 500_000,
      }
}

// The variants that also support tokens with a transfer fee.
function encodeV2(
  weth: Address,
  to: Address,
  tokenIn: Address,
  tokenOut: Address,
  amountIn: bigint,
) {
  const abi = routerV2Abi
  const path = [tokenIn, tokenOut]
  if (tokenIn === weth)
    return encodeFunctionData({
      abi,
      functionName: 'swapExactETHForTokensSupportingFeeOnTransferTokens',
      args: [0n, path, to, deadlineS],
    })
  return encodeFunctionData({
    abi,
    functionName:
      tokenOut === weth
        ? 'swapExactTokensForETHSupportingFeeOnTransferTokens'
        : 'swapExactTokensForTokensSupportingFeeOnTransferTokens',
    args: [amountIn, 0n, path, to, deadlineS],
  })
}

function encodeV3(
  weth: Address,
  to: Address,
  tokenIn: Address,
  tokenOut: Address,
  fee: number,
  amountIn: bigint,
): Hex {
  const abi = routerV3Abi
  const isUnwrapped = tokenOut === weth
  const params = {
    tokenIn,
    tokenOut,
    fee,
    // Zero leaves the output in the router, which then unwraps it.
    recipient: isUnwrapped ? (zeroAddress as Address) : to,
    deadline: deadlineS,
    amountIn,
    amountOutMinimum: 0n,
    sqrtPriceLimitX96: 0n,
  }
  const exact = encodeFunctionData({ abi, functionName: 'exactInputSingle', args: [params] })
  if (!isUnwrapped) return exact
  const unwrap = encodeFunctionData({ abi, functionName: 'unwrapWETH9', args: [0n, to] })
  return encodeFunctionData({ abi, functionName: 'multicall', args: [[exact, unwrap]] })
}
