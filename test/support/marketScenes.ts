import { type Address, encodeDeployData, encodeFunctionData, type Hex } from 'viem'
import {
  factoryV2Abi,
  launchPadAbi,
  lockerAbi,
  pairAbi,
  routerV2Abi,
  tokenAbi,
} from '../../packages/devnet/src/contracts/abi.ts'
import { loadUniswap } from '../../packages/devnet/src/contracts/artifacts.ts'
import type { DevNode } from './devNode.ts'
import { approval, read, transact } from './simulate.ts'

const deadlineS = 10_000_000_000n

export async function mineMarket(node: DevNode, blocks: number): Promise<void> {
  for (let left = blocks; left > 0; left -= 1) await node.mineMarket()
}

async function send(node: DevNode, from: Address, to: Address, data: Hex): Promise<void> {
  await node.send({ from, to, data, value: 0n, gas: 4_000_000 })
}

/** Transfers tokens from a liquidity provider, who owns plenty. */
export async function transferFromProvider(
  node: DevNode,
  token: Address,
  to: Address,
  amount: bigint,
): Promise<void> {
  const [from] = node.wallets.lps
  const data = encodeFunctionData({ abi: tokenAbi, functionName: 'transfer', args: [to, amount] })
  await send(node, from!, token, data)
}

/** Mines events that the bots never cause, one block each. */
export async function mineRareEvents(node: DevNode): Promise<void> {
  const { deployment, wallets } = node
  const { usdc, usdt, weth, routerV2, factoryV2, launchPad } = deployment
  const lp = wallets.lps[0]!
  const trader = wallets.arbitrageurs[0]!
  const pool = deployment.pools.find(({ venue }) => venue === 'v2')!.address
  const token = deployment.tokens.find(({ symbol }) => symbol === 'ALFA')!.address

  await transferFromProvider(node, usdc, pool, 5_000_000_000n)
  await node.mine()
  await send(node, lp, pool, encodeFunctionData({ abi: pairAbi, functionName: 'sync' }))
  await node.mine()
  await transferFromProvider(node, usdc, pool, 7_000_000_000n)
  const skim = encodeFunctionData({ abi: pairAbi, functionName: 'skim', args: [lp] })
  await send(node, lp, pool, skim)
  await node.mine()
  const names = ['Nobody Buys', 'NOBUY'] as const
  const create = { abi: launchPadAbi, functionName: 'createToken', args: names } as const
  await send(node, lp, launchPad, encodeFunctionData(create))
  await node.mine()
  const pair = { abi: factoryV2Abi, functionName: 'createPair', args: [usdc, usdt] } as const
  await send(node, lp, factoryV2, encodeFunctionData(pair))
  await node.mine()
  const amounts = [10n ** 12n, 10n ** 24n, 0n, 0n] as const
  const args = [usdc, usdt, ...amounts, lp, deadlineS] as const
  const add = encodeFunctionData({ abi: routerV2Abi, functionName: 'addLiquidity', args })
  await send(node, lp, routerV2, add)
  await node.mine()
  const path = [usdc, usdt, weth, token]
  const hops = encodeFunctionData({
    abi: routerV2Abi,
    functionName: 'swapExactTokensForTokensSupportingFeeOnTransferTokens',
    args: [10_000_000_000n, 0n, path, trader, deadlineS],
  })
  await send(node, trader, routerV2, hops)
  await node.mine()
  await transferFromProvider(node, usdc, lp, 5n)
  await transferFromProvider(node, usdc, trader, 0n)
  await node.mine()
}

/** Locks a liquidity provider's tokens until after the next block. Returns the lock's id. */
export async function mineLock(node: DevNode, token: Address, amount: bigint): Promise<bigint> {
  const { locker } = node.deployment
  const from = node.wallets.lps[0]!
  const unlockS = BigInt((await node.readHead()).timestampS + 2)
  const args = [token, amount, unlockS] as const
  const data = encodeFunctionData({ abi: lockerAbi, functionName: 'deposit', args })
  const { logs } = await transact(node, approval(token, from, locker), { from, to: locker, data })
  return BigInt(logs.at(-1)!.topics[1]!)
}

/** Withdraws the locked tokens. */
export async function mineUnlock(node: DevNode, id: bigint): Promise<void> {
  const from = node.wallets.lps[0]!
  const data = encodeFunctionData({ abi: lockerAbi, functionName: 'withdraw', args: [id] })
  await transact(node, { from, to: node.deployment.locker, data })
}

/**
 * Creates an untrusted pool of a token against USDC and trades a million dollars in it. Returns its
 * address.
 */
export async function mineUntrustedPool(node: DevNode, token: Address): Promise<Address> {
  const { usdc } = node.deployment
  const [lp] = node.wallets.lps
  const from = lp!
  const uniswap = loadUniswap()
  const data = encodeDeployData({ ...uniswap.factoryV2, args: [from] })
  const hash = await node.send({ from, to: undefined, data, value: 0n, gas: 7_000_000 })
  await node.mine()
  const receipt = await node.request('eth_getTransactionReceipt', [hash])
  const factory = (receipt as { contractAddress: Address }).contractAddress
  const create = { abi: factoryV2Abi, functionName: 'createPair', args: [token, usdc] } as const
  await send(node, from, factory, encodeFunctionData(create))
  await node.mine()
  const pool = await read<Address>(node, factory, factoryV2Abi, 'getPair', [token, usdc])
  await transferFromProvider(node, token, pool, 10n ** 12n)
  await transferFromProvider(node, usdc, pool, 10n ** 12n)
  await send(node, from, pool, encodeFunctionData({ abi: pairAbi, functionName: 'sync' }))
  await node.mine()
  await transferFromProvider(node, usdc, pool, 10n ** 12n)
  const is0 = BigInt(token) < BigInt(usdc)
  const out = is0 ? [4n * 10n ** 11n, 0n] : [0n, 4n * 10n ** 11n]
  const swap = { abi: uniswap.pair.abi, functionName: 'swap', args: [...out, from, '0x'] } as const
  await send(node, from, pool, encodeFunctionData(swap))
  await node.mine()
  return pool.toLowerCase() as Address
}

/** Mines across several days and a week's end, and then a quiet period. */
export async function mineAcrossDays(node: DevNode): Promise<void> {
  for (let left = 3; left > 0; left -= 1) {
    const { timestampS } = await node.readHead()
    await node.mineMarket(timestampS + 3 * 86_400 + 17)
  }
  await mineMarket(node, 20)
  const { timestampS } = await node.readHead()
  await node.mine(timestampS + 400)
}
