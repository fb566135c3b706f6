import type { Address } from 'viem'
import { tokenAbi } from '../../packages/devnet/src/contracts/abi.ts'
import type { RiskPool, RiskSubject } from '../../packages/server/src/risk/riskSubject.ts'
import type { DevNode } from './devNode.ts'
import { balanceOf, pairOf, read } from './simulate.ts'

export type SubjectOptions = {
  pools: readonly RiskPool[]
  holders?: readonly Address[]
  launch?: RiskSubject['launch']
  decimals?: number
}

/** A token at the newest block, as the market describes it. */
export async function readSubject(
  node: DevNode,
  token: Address,
  { pools, holders = [], launch = null, decimals = 18 }: SubjectOptions,
): Promise<RiskSubject> {
  const { number, hash, timestampS } = await node.readHead()
  const total = await read<bigint>(node, token, tokenAbi, 'totalSupply')
  const amounts = await Promise.all(holders.map((holder) => balanceOf(node, token, holder)))
  const { deployer } = node.wallets
  return {
    address: token,
    symbol: 'TKN',
    name: 'Token',
    decimals,
    supply: { total, burnt: 0n, locked: 0n, other: 0n, holders: 100 },
    holders: holders.map((address, i) => ({
      address,
      amountRaw: amounts[i]!,
      kind: address === deployer ? 'creator' : 'wallet',
    })),
    pools,
    launch,
    nativeUsd: 2_500,
    block: { number, hash, timeS: timestampS },
  }
}

const quoteFacts = { weth: ['WETH', 18], usdc: ['USDC', 6], usdt: ['USDT', 18] } as const
export type QuoteName = keyof typeof quoteFacts

function quoteOf(node: DevNode, name: QuoteName) {
  const [symbol, decimals] = quoteFacts[name]
  return { address: node.deployment[name], symbol, decimals }
}

export async function pairPool(
  node: DevNode,
  token: Address,
  quote: QuoteName = 'weth',
): Promise<RiskPool> {
  return {
    address: await pairOf(node, token, node.deployment[quote]),
    kind: 'constantProduct',
    venue: 'uniswapV2',
    factory: node.deployment.factoryV2,
    amm: 'uniswapv2',
    isTrusted: true,
    feePpm: 3_000,
    quote: quoteOf(node, quote),
    quoteReserveRaw: 0n,
    params: [],
    liquidityUsd: 50_000,
  }
}

export function concentratedPool(
  node: DevNode,
  address: Address,
  quote: QuoteName,
  feePpm: number,
): RiskPool {
  return {
    address,
    kind: 'concentrated',
    venue: 'uniswapV3',
    factory: node.deployment.factoryV3,
    amm: 'uniswapv3',
    isTrusted: true,
    feePpm,
    quote: quoteOf(node, quote),
    quoteReserveRaw: 0n,
    params: [],
    liquidityUsd: 50_000,
  }
}

export function curvePool(node: DevNode): RiskPool {
  return {
    address: `0x${'c'.repeat(64)}`,
    kind: 'curve',
    venue: 'launchPad',
    factory: node.deployment.launchPad,
    amm: 'tapecurve',
    isTrusted: true,
    feePpm: null,
    quote: quoteOf(node, 'weth'),
    quoteReserveRaw: 0n,
    params: [],
    liquidityUsd: 8_000,
  }
}
