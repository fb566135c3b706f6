// Uniswap V4 as its authors compiled it, on a test's node: the manager and its router.
import { createRequire } from 'node:module'
import {
  type Abi,
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  keccak256,
  parseAbiParameters,
  toHex,
} from 'viem'
import type { Artifact } from '../../packages/devnet/src/contracts/artifacts.ts'
import type { Call } from '../../packages/devnet/src/contracts/builder.ts'
import { zeroAddress } from '../../packages/devnet/src/profile.ts'
import type { ChainProfile } from '../../packages/server/src/model/chainProfile.ts'
import type { DevNode } from './devNode.ts'
import { approval, deployArtifact, read } from './simulate.ts'
import { sqrtPriceLimitX96 } from './venueRun.ts'

export type PoolKey = { currency0: Address; currency1: Address; fee: number; tickSpacing: number }

export type Position = { tickLower: number; tickUpper: number; liquidityDelta: bigint }

const requirePackage = createRequire(import.meta.url)
// Storage slot of the manager's pools, and the offset of a pool's liquidity from its price.
const poolsSlot = 6n
const liquidityOffset = 3n
const more = 2n

function load(name: string): Artifact {
  const path = `@uniswap/v4-core/out/${name}.sol/${name}.json`
  const { abi, bytecode } = requirePackage(path) as { abi: Abi; bytecode: { object: Hex } }
  return { abi, bytecode: bytecode.object }
}

export function poolIdOf(key: PoolKey): Hex {
  const types = parseAbiParameters('address, address, uint24, int24, address')
  const { currency0, currency1, fee, tickSpacing } = key
  return keccak256(
    encodeAbiParameters(types, [currency0, currency1, fee, tickSpacing, zeroAddress]),
  )
}

/**
 * Deploys the contracts. `from` makes all calls and pays in the native coin or in tokens approved
 * here.
 */
export async function deployUniswapV4(node: DevNode, from: Address) {
  const artifacts = {
    manager: load('PoolManager'),
    swaps: load('PoolSwapTest'),
    positions: load('PoolModifyLiquidityTest'),
    gifts: load('PoolDonateTest'),
  }
  const manager = await deployArtifact(node, artifacts.manager, [from])
  const deploy = (artifact: Artifact) => deployArtifact(node, artifact, [manager])
  const swaps = await deploy(artifacts.swaps)
  const positions = await deploy(artifacts.positions)
  const gifts = await deploy(artifacts.gifts)
  const whole = (key: PoolKey) => ({ ...key, hooks: zeroAddress })
  const call = (
    to: Address,
    { abi }: Artifact,
    functionName: string,
    args: readonly unknown[],
    value = 0n,
  ): Call => {
    const data = encodeFunctionData({ abi, functionName, args })
    return { from, to, data, value, gas: 1_500_000 }
  }
  const load256 = (slot: Hex) =>
    read<Hex>(node, manager, artifacts.manager.abi, 'extsload', [slot]).then(BigInt)
  const slotOf = (key: PoolKey, offset: bigint) => {
    const types = parseAbiParameters('bytes32, uint256')
    const first = keccak256(encodeAbiParameters(types, [poolIdOf(key), poolsSlot]))
    return toHex(BigInt(first) + offset, { size: 32 })
  }

  return {
    manager,
    /** The node's profile with the manager as a venue and the native coin as a quote asset. */
    profile: {
      ...node.profile,
      native: { ...node.profile.native, coin: zeroAddress },
      quotes: [...node.profile.quotes, zeroAddress],
      venues: [...node.profile.venues, { address: manager, venue: 'uniswapV4', amm: 'uniswapv4' }],
    } satisfies ChainProfile,
    approvals: (token: Address) =>
      [swaps, positions, gifts].map((spender) => approval(token, from, spender)),
    initialize: (key: PoolKey, sqrtPriceX96: bigint) =>
      call(manager, artifacts.manager, 'initialize', [whole(key), sqrtPriceX96]),
    /** `value` is more than needed: the rest is returned. */
    modifyLiquidity(key: PoolKey, position: Position, value = 0n) {
      const params = { ...position, salt: toHex(0, { size: 32 }) }
      return call(
        positions,
        artifacts.positions,
        'modifyLiquidity',
        [whole(key), params, '0x'],
        value,
      )
    },
    /** A negative amount is the exact input, a positive one the exact output. */
    swap(key: PoolKey, zeroForOne: boolean, amountSpecified: bigint, value = 0n) {
      const params = {
        zeroForOne,
        amountSpecified,
        sqrtPriceLimitX96: sqrtPriceLimitX96(zeroForOne),
      }
      const settings = { takeClaims: false, settleUsingBurn: false }
      return call(swaps, artifacts.swaps, 'swap', [whole(key), params, settings, '0x'], value)
    },
    donate: (key: PoolKey, amount0: bigint, amount1: bigint) =>
      call(gifts, artifacts.gifts, 'donate', [whole(key), amount0, amount1, '0x'], amount0 * more),
    /** The pool's state as the manager's own view functions return it. */
    async readPool(key: PoolKey): Promise<{ sqrtPriceX96: bigint; liquidity: bigint }> {
      const slot0 = await load256(slotOf(key, 0n))
      return {
        sqrtPriceX96: slot0 & ((1n << 160n) - 1n),
        liquidity: await load256(slotOf(key, liquidityOffset)),
      }
    },
  }
}
