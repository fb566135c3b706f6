// The real Balancer V3 vault on a test's node, from its authors' published source.
import { basename, resolve } from 'node:path'
import {
  type Abi,
  type Address,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  maxUint128,
  zeroAddress,
} from 'viem'
import type { Artifact } from '../../packages/devnet/src/contracts/artifacts.ts'
import { compilePackages } from './compilePackages.ts'
import { compileSolidity } from './compileSolidity.ts'
import { callOf } from './concentratedPool.ts'
import type { DevNode } from './devNode.ts'
import { approval, deployArtifact, deployToken, read, transact } from './simulate.ts'
import type { VenueRunOptions } from './venueRun.ts'

const files = [
  '@balancer-labs/v3-vault/contracts/Vault.sol',
  '@balancer-labs/v3-vault/contracts/VaultAdmin.sol',
  '@balancer-labs/v3-vault/contracts/VaultExtension.sol',
  '@balancer-labs/v3-vault/contracts/ProtocolFeeController.sol',
  '@balancer-labs/v3-pool-weighted/contracts/WeightedPool.sol',
]
const aliases = { '@openzeppelin/contracts': 'openzeppelin-contracts-5' }
const settings = { optimizer: { enabled: true, runs: 1 }, viaIR: true, evmVersion: 'cancun' }
const callerPath = resolve(import.meta.dirname, 'BalancerV3Caller.sol')
const callerOf = compileSolidity(callerPath).get('BalancerV3Caller')!
// The smallest token balance that its pools accept.
const balanceMin = 10n ** 6n
const noPower = { pauseManager: zeroAddress, swapFeeManager: zeroAddress, poolCreator: zeroAddress }
const anyLiquidity = {
  disableUnbalancedLiquidity: false,
  enableAddLiquidityCustom: false,
  enableRemoveLiquidityCustom: false,
  enableDonation: false,
}

export type BalancerVaultV3 = Awaited<ReturnType<typeof deployBalancerVaultV3>>

type PoolTokenInfo = readonly [
  tokens: readonly Address[],
  info: readonly object[],
  balances: readonly bigint[],
]

/**
 * Deploys the vault and its parts: it delegates calls to its extension, which delegates to the
 * admin contract.
 */
async function deployParts(node: DevNode, protocolShare: bigint) {
  const contracts = compilePackages({ files, aliases, settings })
  const [vaultOf, adminOf, extensionOf, feesOf, poolOf] = files.map(
    (file) => contracts.get(basename(file, '.sol'))!,
  ) as [Artifact, Artifact, Artifact, Artifact, Artifact]
  const from = node.wallets.deployer
  const nonce = BigInt((await node.request('eth_getTransactionCount', [from, 'latest'])) as Hex)
  // The parts need the vault's address in advance: it is the deployer's fourth contract.
  const vault = getContractAddress({ from, nonce: nonce + 3n }).toLowerCase() as Address
  const admin = await deployArtifact(node, adminOf, [vault, 0, 0, balanceMin, balanceMin])
  const extension = await deployArtifact(node, extensionOf, [vault, admin])
  const fees = await deployArtifact(node, feesOf, [vault, protocolShare, 0n])
  await deployArtifact(node, vaultOf, [extension, from, fees])
  return { vault, abi: [...vaultOf.abi, ...extensionOf.abi] as Abi, poolOf }
}

/** Calls on pools, made by the deployer. */
function callsOf(from: Address, caller: Address, { vault, abi }: { vault: Address; abi: Abi }) {
  /** Runs a call while the vault is unlocked. The deployer pays and receives the tokens. */
  const unlocked = (assets: readonly Address[], functionName: string, args: readonly unknown[]) => {
    const what = encodeFunctionData({ abi, functionName, args })
    return callOf(from, caller, callerOf.abi, 'act', [vault, what, assets])
  }
  return {
    registerOf(pool: Address, assets: readonly Address[], fee: bigint) {
      const configs = assets.map((token) => {
        return { token, tokenType: 0, rateProvider: zeroAddress, paysYieldFees: false }
      })
      const args = [pool, configs, fee, 0, false, noPower, zeroAddress, anyLiquidity]
      return callOf(from, vault, abi, 'registerPool', args)
    },
    initializeOf: (pool: Address, assets: readonly Address[], amounts: readonly bigint[]) =>
      unlocked(assets, 'initialize', [pool, from, assets, amounts, 0n, '0x']),
    /**
     * Adds exactly these amounts. If they are not in proportion, the vault swaps a part of them for
     * a fee.
     */
    addOf(pool: Address, assets: readonly Address[], amounts: readonly bigint[]) {
      const terms = { pool, to: from, maxAmountsIn: amounts, minBptAmountOut: 0n }
      return unlocked(assets, 'addLiquidity', [{ ...terms, kind: 1, userData: '0x' }])
    },
    /** Removes liquidity for this many shares: in proportion, or all in the first token. */
    removeOf(
      pool: Address,
      assets: readonly Address[],
      shares: bigint,
      kind: 'proportional' | 'single',
    ) {
      const minAmountsOut = assets.map((_, at) => (kind === 'single' && at === 0 ? 1n : 0n))
      const terms = { pool, from, maxBptAmountIn: shares, minAmountsOut, userData: '0x' }
      const args = [{ ...terms, kind: kind === 'single' ? 1 : 0 }]
      return unlocked(assets, 'removeLiquidity', args)
    },
    swapOf(pool: Address, tokenIn: Address, tokenOut: Address, kind: 0 | 1, amount: bigint) {
      const limitRaw = kind === 0 ? 0n : maxUint128
      const terms = { kind, pool, tokenIn, tokenOut, amountGivenRaw: amount, limitRaw }
      return unlocked([tokenIn, tokenOut], 'swap', [{ ...terms, userData: '0x' }])
    },
  }
}

/**
 * Deploys the vault with three tokens of the deployer, sorted by address; the first token is worth
 * a dollar. The protocol takes `protocolShare` of all fees, in units of 1e-18.
 */
export async function deployBalancerVaultV3(node: DevNode, protocolShare: bigint) {
  const from = node.wallets.deployer
  const parts = await deployParts(node, protocolShare)
  const { vault, abi, poolOf } = parts
  const caller = await deployArtifact(node, callerOf, [])
  const made: Address[] = []
  for (const symbol of ['AAA', 'BBB', 'CCC']) made.push(await deployToken(node, { symbol }))
  const tokens = made.toSorted()
  await transact(node, ...tokens.map((token) => approval(token, from, caller)))
  const profile: VenueRunOptions['profile'] = {
    ...node.profile,
    stables: [tokens[0]!],
    quotes: [tokens[0]!, node.profile.native.wrappedToken],
    venues: [{ address: vault, venue: 'balancerV3', amm: 'balancerv3' }],
  }
  const view = <T>(name: string, ...args: readonly unknown[]) =>
    read<T>(node, vault, abi, name, args)

  return {
    ...callsOf(from, caller, parts),
    from,
    vault,
    tokens,
    profile,
    /** Deploys a pool of the first tokens, without liquidity. */
    async deployPool(weights: readonly bigint[]): Promise<Address> {
      const terms = {
        name: 'Pool',
        symbol: 'BPT',
        numTokens: BigInt(weights.length),
        normalizedWeights: weights,
        version: '',
        minTokenBalances: weights.map(() => balanceMin),
      }
      const pool = await deployArtifact(node, poolOf, [terms, vault])
      await transact(node, approval(pool, from, caller))
      return pool
    },
    async balancesOf(pool: Address): Promise<readonly bigint[]> {
      const [, , balances] = await view<PoolTokenInfo>('getPoolTokenInfo', pool)
      return balances
    },
    /** Protocol fees that the vault has set aside for a pool; they no longer belong to the pool. */
    keptOf: (pool: Address, token: Address) =>
      view<bigint>('getAggregateSwapFeeAmount', pool, token),
    feeOf: (pool: Address) => view<bigint>('getStaticSwapFeePercentage', pool),
    sharesOf: (pool: Address) => read<bigint>(node, pool, poolOf.abi, 'balanceOf', [from]),
  }
}
