import { type Hex, type PublicClient, parseAbi } from 'viem'
import type { Recomputed, RecomputedPair, RecomputedToken } from '../market.ts'
import { createClient } from './readChain.ts'

const viewAbi = parseAbi([
  'function getReserves() view returns (uint112 reserve0, uint112 reserve1, uint32 timeS)',
  'function slot0() view returns (uint160 sqrtPriceX96, int24 tick, uint16 index, uint16 cardinality, uint16 cardinalityNext, uint8 feeProtocol, bool isUnlocked)',
  'function curves(address token) view returns (uint256 virtualToken, uint256 virtualEth, uint256 realToken, uint256 realEth, bool isOpen)',
  'function balanceOf(address owner) view returns (uint256)',
  'function totalSupply() view returns (uint256)',
])

type View = {
  address: string
  functionName: 'getReserves' | 'slot0' | 'curves' | 'balanceOf' | 'totalSupply'
  args?: readonly [Hex] | undefined
  /** Differences as sentences. */
  check(answer: unknown): string[]
}

export type CheckChainViewsOptions = {
  recomputed: Recomputed
  rpcUrl: string
  multicall3: string
}

export type ChainViewsResult = { differences: string[]; viewCount: number }

/**
 * Compares the market recomputed from logs with the contracts' own view functions at the same
 * block.
 */
export async function checkChainViews(options: CheckChainViewsOptions): Promise<ChainViewsResult> {
  const { recomputed, rpcUrl, multicall3 } = options
  const views = [
    ...[...recomputed.pairs.values()].flatMap(pairViews),
    ...[...recomputed.tokens.values()].flatMap(tokenViews),
  ]
  const client = createClient(rpcUrl)
  const answers = await readViews(client, views, recomputed.head.number, multicall3)
  const differences = views.flatMap((view, index) => view.check(answers[index]))
  return { differences, viewCount: views.length }
}

async function readViews(
  client: PublicClient,
  views: readonly View[],
  headNumber: number,
  multicall3: string,
): Promise<unknown[]> {
  return await client.multicall({
    contracts: views.map(({ address, functionName, args = [] }) => {
      return { address: address as Hex, abi: viewAbi, functionName, args } as never
    }),
    multicallAddress: multicall3 as Hex,
    blockNumber: BigInt(headNumber),
    allowFailure: false,
    // In bytes of calldata: about 450 balances a call, well under a block's gas.
    batchSize: 16_384,
  })
}

function pairViews(pair: RecomputedPair): View[] {
  const { address, kind, token0, token1, reserve0, reserve1 } = pair
  const name = `${kind} pool ${address}`
  if (kind === 'v2')
    return [
      {
        address,
        functionName: 'getReserves',
        check: (answer) => {
          const [actual0, actual1] = answer as [bigint, bigint]
          return [
            ...differs(`${name} reserve0, getReserves`, reserve0, actual0),
            ...differs(`${name} reserve1, getReserves`, reserve1, actual1),
          ]
        },
      },
    ]
  if (kind === 'v3')
    return [
      {
        address,
        functionName: 'slot0',
        check: (answer) =>
          differs(`${name} sqrtPriceX96, slot0`, pair.sqrtPriceX96, (answer as [bigint])[0]),
      },
      balanceView(token0, address, `${name} reserve0`, reserve0),
      balanceView(token1, address, `${name} reserve1`, reserve1),
    ]
  return [
    {
      address: pair.factory,
      functionName: 'curves',
      args: [token0 as Hex],
      check: (answer) =>
        curveDifferences(pair, answer as readonly [bigint, bigint, bigint, bigint]),
    },
  ]
}

function curveDifferences(
  pair: RecomputedPair,
  [virtualToken, virtualEth, realToken, realEth]: readonly [bigint, bigint, bigint, bigint],
): string[] {
  // A curve has no price before its first event with reserves.
  if (pair.price === null) return []
  const name = `curve ${pair.address} (${pair.token0})`
  const { num, den } = pair.price
  return [
    ...differs(`${name} virtual ether, curves`, num, virtualEth),
    ...differs(`${name} virtual tokens, curves`, den, virtualToken),
    ...differs(`${name} reserve0, curves`, pair.reserve0, realToken),
    ...differs(`${name} reserve1, curves`, pair.reserve1, realEth),
  ]
}

function tokenViews({ address, supply, wallets }: RecomputedToken): View[] {
  return [
    {
      address,
      functionName: 'totalSupply',
      check: (answer) => differs(`token ${address} totalSupply`, supply, answer as bigint),
    },
    ...[...wallets].map(([wallet, amount]) =>
      balanceView(address, wallet, `token ${address} holder ${wallet}`, amount),
    ),
  ]
}

function balanceView(token: string, owner: string, what: string, expected: bigint): View {
  return {
    address: token,
    functionName: 'balanceOf',
    args: [owner as Hex],
    check: (answer) => differs(`${what}, balanceOf`, expected, answer as bigint),
  }
}

function differs(what: string, expected: bigint, actual: bigint): string[] {
  return expected === actual ? [] : [`${what}: recomputed ${expected}, the chain says ${actual}.`]
}
