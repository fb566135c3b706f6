import { type Address, encodeFunctionData, type Hex } from 'viem'
import { lockerAbi, tokenAbi } from '../contracts/abi.ts'
import type { Builder } from '../contracts/builder.ts'
import type { Deployment, ListedPool, ListedToken } from '../contracts/deployment.ts'
import { deadlineS } from '../contracts/liquidity.ts'
import type { Request } from '../node/provider.ts'
import { lockedSymbol } from './listings.ts'

// Part of the provider's tokens: about 5 % of the supply.
const tokenPercent = 40n

// Well over half of the pool stays locked while others add to it.
const sharesPercent = 80n

/** The opener of the locked token's pool locks some tokens and most pool shares. */
export async function lockUp(
  request: Request,
  builder: Builder,
  { locker }: Deployment,
  tokens: readonly ListedToken[],
  pools: readonly ListedPool[],
): Promise<void> {
  const token = tokens.find(({ symbol }) => symbol === lockedSymbol)!
  const { address: pair, lp } = pools.find(({ base }) => base === token.address)!
  const lock = async (what: Address, percent: bigint) => {
    const amount = ((await readBalance(request, what, lp)) * percent) / 100n
    const args = [locker, amount] as const
    const approve = encodeFunctionData({ abi: tokenAbi, functionName: 'approve', args })
    await builder.call({ from: lp, to: what, data: approve })
    const deposit = encodeFunctionData({
      abi: lockerAbi,
      functionName: 'deposit',
      args: [what, amount, deadlineS],
    })
    await builder.call({ from: lp, to: locker, data: deposit })
  }
  await lock(token.address, tokenPercent)
  await lock(pair, sharesPercent)
}

async function readBalance(request: Request, token: Address, owner: Address): Promise<bigint> {
  const data = encodeFunctionData({ abi: tokenAbi, functionName: 'balanceOf', args: [owner] })
  return BigInt((await request('eth_call', [{ to: token, data }, 'latest'])) as Hex)
}
