// Actions of tests on the chain. Each mines one block and returns the receipt of its last
// transaction.
import {
  type Abi,
  type Address,
  decodeFunctionResult,
  encodeDeployData,
  encodeFunctionData,
  type Hex,
  maxUint256,
} from 'viem'
import {
  factoryV2Abi,
  factoryV3Abi,
  launchPadAbi,
  routerV2Abi,
  tokenAbi,
} from '../../packages/devnet/src/contracts/abi.ts'
import {
  type Artifact,
  loadOwn,
  type OwnContract,
} from '../../packages/devnet/src/contracts/artifacts.ts'
import type { Call } from '../../packages/devnet/src/contracts/builder.ts'
import {
  type Amounts,
  addLiquidityV2,
  createPoolV3,
  deadlineS,
  fullRange,
  mintPosition,
} from '../../packages/devnet/src/contracts/liquidity.ts'
import { type SwapPool, swapTransaction } from '../../packages/devnet/src/market/swap.ts'
import type { DevNode } from './devNode.ts'

export type Log = { address: Address; topics: [Hex, ...Hex[]]; data: Hex; logIndex: Hex }

export type Receipt = {
  transactionHash: Hex
  blockHash: Hex
  blockNumber: Hex
  status: Hex
  contractAddress: Address | null
  gasUsed: Hex
  logs: Log[]
}

/** Sends calls in order and mines them in one block. */
export async function transact(node: DevNode, ...calls: Call[]): Promise<Receipt> {
  let hash = ''
  for (const { from, to, data, value = 0n, gas = 1_000_000 } of calls)
    hash = await node.send({ from, to, data, value, gas })
  await node.mine()
  return (await node.request('eth_getTransactionReceipt', [hash])) as Receipt
}

/** Reads one value of a contract. */
export async function read<T>(
  node: DevNode,
  to: Address,
  abi: Abi,
  functionName: string,
  args: readonly unknown[] = [],
): Promise<T> {
  const data = encodeFunctionData({ abi, functionName, args })
  const answer = (await node.request('eth_call', [{ to, data }, 'latest'])) as Hex
  return decodeFunctionResult({ abi, functionName, data: answer }) as T
}

export async function balanceOf(node: DevNode, token: Address, owner: Address): Promise<bigint> {
  return await read(node, token, tokenAbi, 'balanceOf', [owner])
}

export async function deployContract(
  node: DevNode,
  name: OwnContract,
  args: readonly unknown[],
  from: Address = node.wallets.deployer,
): Promise<Address> {
  return await deployArtifact(node, loadOwn(name), args, from)
}

export async function deployArtifact(
  node: DevNode,
  { abi, bytecode }: Artifact,
  args: readonly unknown[],
  from: Address = node.wallets.deployer,
): Promise<Address> {
  const data = encodeDeployData({ abi, bytecode, args })
  const hash = await node.send({ from, to: undefined, data, value: 0n, gas: 14_000_000 })
  await node.mine()
  const receipt = (await node.request('eth_getTransactionReceipt', [hash])) as Receipt
  return receipt.contractAddress!.toLowerCase() as Address
}

/** Deploys a token with a fixed supply, all of it owned by the deployer. */
export async function deployToken(
  node: DevNode,
  { name = 'Token', symbol = 'TKN', decimals = 18, supply = 10n ** 27n } = {},
): Promise<Address> {
  return await deployContract(node, 'PlainToken', [name, symbol, decimals, supply])
}

export function approval(token: Address, from: Address, spender: Address): Call {
  const args = [spender, maxUint256] as const
  return {
    from,
    to: token,
    data: encodeFunctionData({ abi: tokenAbi, functionName: 'approve', args }),
  }
}

export async function transfer(
  node: DevNode,
  token: Address,
  from: Address,
  to: Address,
  amount: bigint,
): Promise<Receipt> {
  const args = [to, amount] as const
  const data = encodeFunctionData({ abi: tokenAbi, functionName: 'transfer', args })
  return await transact(node, { from, to: token, data })
}

/** Creates an empty V2 pair. */
export async function createPair(node: DevNode, base: Address, quote: Address): Promise<Address> {
  const { deployer } = node.wallets
  const data = encodeFunctionData({
    abi: factoryV2Abi,
    functionName: 'createPair',
    args: [base, quote],
  })
  await transact(node, { from: deployer, to: node.deployment.factoryV2, data, gas: 4_000_000 })
  return await pairOf(node, base, quote)
}

export async function pairOf(node: DevNode, base: Address, quote: Address): Promise<Address> {
  const args = [base, quote]
  const pair = await read<Address>(node, node.deployment.factoryV2, factoryV2Abi, 'getPair', args)
  return pair.toLowerCase() as Address
}

/**
 * Deposits the deployer's tokens into a V2 pair, the native side in ETH. Creates a missing pair.
 */
export async function addLiquidity(
  node: DevNode,
  pool: { base: Address; quote: Address },
  amounts: Amounts,
  from: Address = node.wallets.deployer,
): Promise<Receipt> {
  const { routerV2, weth } = node.deployment
  const approvals = [pool.base, pool.quote]
    .filter((token) => token !== weth)
    .map((token) => approval(token, from, routerV2))
  return await transact(node, ...approvals, addLiquidityV2(node.deployment, pool, from, amounts))
}

export async function removeLiquidity(
  node: DevNode,
  pool: { base: Address; quote: Address },
  amount: bigint,
  from: Address = node.wallets.deployer,
): Promise<Receipt> {
  const { routerV2 } = node.deployment
  const pair = await pairOf(node, pool.base, pool.quote)
  const args = [pool.base, pool.quote, amount, 0n, 0n, from, deadlineS] as const
  const data = encodeFunctionData({ abi: routerV2Abi, functionName: 'removeLiquidity', args })
  return await transact(node, approval(pair, from, routerV2), { from, to: routerV2, data })
}

/** Creates a V3 pool at the price implied by the amounts, with one position over all prices. */
export async function openPoolV3(
  node: DevNode,
  pool: { base: Address; quote: Address; fee: number },
  amounts: Amounts,
  from: Address = node.wallets.deployer,
): Promise<Address> {
  const { positions, weth, factoryV3 } = node.deployment
  const approvals = [pool.base, pool.quote]
    .filter((token) => token !== weth)
    .map((token) => approval(token, from, positions))
  await transact(
    node,
    ...approvals,
    createPoolV3(node.deployment, pool, from, amounts),
    mintPosition(node.deployment, pool, from, amounts, fullRange(pool.fee)),
  )
  const args = [pool.base, pool.quote, pool.fee]
  const address = await read<Address>(node, factoryV3, factoryV3Abi, 'getPool', args)
  return address.toLowerCase() as Address
}

/** Sells one side of a pool through its router. */
export async function swap(
  node: DevNode,
  pool: SwapPool,
  from: Address,
  tokenIn: Address,
  amountIn: bigint,
): Promise<Receipt> {
  const { deployment } = node
  const router = pool.venue === 'v2' ? deployment.routerV2 : deployment.routerV3
  const approvals = tokenIn === deployment.weth ? [] : [approval(tokenIn, from, router)]
  const { to, data, value, gas } = swapTransaction(deployment, pool, from, tokenIn, amountIn)
  return await transact(node, ...approvals, { from, to: to as Address, data, value, gas })
}

/** Creates a token on the launch pad; `value` is the creator's first purchase. */
export async function launchToken(
  node: DevNode,
  { name = 'Launched', symbol = 'LNCH', from = node.wallets.traders[0]!, value = 0n } = {},
): Promise<{ token: Address; receipt: Receipt }> {
  const { launchPad } = node.deployment
  const data = encodeFunctionData({
    abi: launchPadAbi,
    functionName: 'createToken',
    args: [name, symbol],
  })
  const receipt = await transact(node, { from, to: launchPad, data, value, gas: 4_000_000 })
  const count = await read<bigint>(node, launchPad, launchPadAbi, 'tokenCount')
  const token = await read<Address>(node, launchPad, launchPadAbi, 'tokens', [count - 1n])
  return { token: token.toLowerCase() as Address, receipt }
}

export async function buyCurve(
  node: DevNode,
  token: Address,
  from: Address,
  value: bigint,
): Promise<Receipt> {
  const { launchPad } = node.deployment
  const data = encodeFunctionData({ abi: launchPadAbi, functionName: 'buy', args: [token, 0n] })
  return await transact(node, { from, to: launchPad, data, value, gas: 5_000_000 })
}

export async function sellCurve(
  node: DevNode,
  token: Address,
  from: Address,
  amount: bigint,
): Promise<Receipt> {
  const { launchPad } = node.deployment
  const args = [token, amount, 0n] as const
  const data = encodeFunctionData({ abi: launchPadAbi, functionName: 'sell', args })
  return await transact(node, approval(token, from, launchPad), { from, to: launchPad, data })
}
