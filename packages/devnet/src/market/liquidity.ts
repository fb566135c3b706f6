import { type Address, decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import { positionsAbi, routerV2Abi, tokenAbi } from '../contracts/abi.ts'
import type { ListedPool } from '../contracts/deployment.ts'
import { addLiquidityV2, deadlineS, mintPosition, rangeAround } from '../contracts/liquidity.ts'
import { wandererSymbol } from './listings.ts'
import { depthUsd, ethUsdOf } from './prices.ts'
import { type Intent, isDue, type PoolState, type Scene, send, toRaw } from './scene.ts'

// Liquidity changes every half minute even if one change fails, as with a paused token.
const periodS = 14

// Long enough for a main pair to stabilize, short enough to see a switch.
const wanderPeriodS = 300

const wanderShare = 0.75

// A provider with more positions closes one before it opens another.
const positionCountMax = 12

const uint128Max = 2n ** 128n - 1n

/** Adds or removes liquidity in some pool. */
export async function provideLiquidity(scene: Scene): Promise<Intent[]> {
  if (!isDue(scene, periodS, 7)) return []
  const { random, wallets } = scene
  // Only the owner of the honeypot can deposit.
  const open = scene.state.pools.filter(({ pool }) => scene.tokenOf(pool.base).kind !== 'honeypot')
  const state = random.pick(open)
  const lp = random.pick(wallets.lps)
  const share = 0.01 + 0.05 * random.next()
  if (state.pool.venue === 'v2') {
    // The opener of a pool moves a part; other providers remove all they added, so that no pool
    // grows for ever.
    const isOpener = lp === state.pool.lp
    const isRemoved = isOpener
      ? random.isTrue(0.5)
      : (await readCount(scene, state.pool.address, lp)) > 0
    if (!isRemoved) return [add(scene, state, lp, share)]
    return [removeV2(scene, state, lp, isOpener ? share : 1)]
  }
  const count = await readCount(scene, scene.deployment.positions, lp)
  if (count > 0 && (count >= positionCountMax || random.isTrue(0.4)))
    return await removeV3(scene, lp, random.below(count))
  return [add(scene, state, lp, share)]
}

/** Moves most of a token's liquidity from its larger pool to its smaller one. */
export async function wander(scene: Scene): Promise<Intent[]> {
  if (!isDue(scene, wanderPeriodS, 150)) return []
  const ethUsd = ethUsdOf(scene)
  const [larger, smaller] = scene.state.pools
    .filter(({ pool }) => scene.tokenOf(pool.base).symbol === wandererSymbol)
    .sort((a, b) => depthUsd(scene, b, ethUsd) - depthUsd(scene, a, ethUsd))
  if (!larger || !smaller) return []
  const ratio = depthUsd(scene, larger, ethUsd) / depthUsd(scene, smaller, ethUsd)
  const removed = wanderShare * (await readOwnedShare(scene, larger.pool))
  return [
    removeV2(scene, larger, larger.pool.lp, wanderShare),
    // The removed amount, up to a sensible limit.
    add(scene, smaller, smaller.pool.lp, Math.min(6, removed * ratio)),
  ]
}

function add(scene: Scene, state: PoolState, lp: Address, share: number): Intent {
  const { deployment, random } = scene
  const { pool } = state
  const amounts = { base: toRaw(state.base * share), quote: toRaw(state.quote * share) }
  if (pool.venue === 'v2') return send(addLiquidityV2(deployment, pool, lp, amounts))
  const price = pool.base < pool.quote ? state.quote / state.base : state.base / state.quote
  const tick = Math.floor(Math.log(price) / Math.log(1.0001))
  const range = rangeAround(pool.fee, tick, 500 + random.below(3000))
  // A narrow range needs far less for the same depth.
  const narrow = { base: amounts.base / 4n, quote: amounts.quote / 4n }
  return send(mintPosition(deployment, pool, lp, narrow, range))
}

function removeV2(scene: Scene, { pool }: PoolState, lp: Address, share: number): Intent {
  const { routerV2 } = scene.deployment
  return {
    type: 'spend',
    owner: lp,
    token: pool.address,
    spender: routerV2,
    amount: { share },
    build(amount) {
      const args = [pool.base, pool.quote, amount, 0n, 0n, lp, deadlineS] as const
      const data = encodeFunctionData({ abi: routerV2Abi, functionName: 'removeLiquidity', args })
      return { from: lp, to: routerV2, data, value: 0n, gas: 500_000 }
    },
  }
}

async function removeV3(scene: Scene, lp: Address, index: number): Promise<Intent[]> {
  const { positions } = scene.deployment
  const abi = positionsAbi
  const idData = encodeFunctionData({
    abi,
    functionName: 'tokenOfOwnerByIndex',
    args: [lp, BigInt(index)],
  })
  const tokenId = BigInt(await call(scene, positions, idData))
  const positionData = encodeFunctionData({ abi, functionName: 'positions', args: [tokenId] })
  const answer = await call(scene, positions, positionData)
  const position = decodeFunctionResult({ abi, functionName: 'positions', data: answer })
  const liquidity = position[7]
  const isWholeRange = position[6] - position[5] > 1_000_000
  // Each provider is picked about forty times a day, so openers remove little at a time.
  const removed = isWholeRange ? liquidity / 100n : liquidity
  const decrease = encodeFunctionData({
    abi,
    functionName: 'decreaseLiquidity',
    args: [{ tokenId, liquidity: removed, amount0Min: 0n, amount1Min: 0n, deadline: deadlineS }],
  })
  const collect = encodeFunctionData({
    abi,
    functionName: 'collect',
    args: [{ tokenId, recipient: lp, amount0Max: uint128Max, amount1Max: uint128Max }],
  })
  const burn = encodeFunctionData({ abi, functionName: 'burn', args: [tokenId] })
  const steps = isWholeRange ? [decrease, collect] : [decrease, collect, burn]
  const data = encodeFunctionData({ abi, functionName: 'multicall', args: [steps] })
  return [send({ from: lp, to: positions, data, gas: 900_000 })]
}

/** Shares of a V2 pool, or number of positions in V3 pools. */
async function readCount(scene: Scene, of: Address, lp: Address): Promise<number> {
  const data = encodeFunctionData({ abi: positionsAbi, functionName: 'balanceOf', args: [lp] })
  return Number(BigInt(await call(scene, of, data)))
}

/** The opener's share of a V2 pool. */
async function readOwnedShare(scene: Scene, { address, lp }: ListedPool): Promise<number> {
  const data = encodeFunctionData({ abi: tokenAbi, functionName: 'totalSupply' })
  const total = Number(BigInt(await call(scene, address, data)))
  return (await readCount(scene, address, lp)) / total
}

async function call(scene: Scene, to: Address, data: Hex): Promise<Hex> {
  return (await scene.request('eth_call', [{ to, data }, 'latest'])) as Hex
}
