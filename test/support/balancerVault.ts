// The real Balancer V2 vault on a test's node, from its authors' published bytecode.
import { createRequire } from 'node:module'
import { type Abi, type Address, encodeAbiParameters, type Hex, maxUint256 } from 'viem'
import type { Artifact } from '../../packages/devnet/src/contracts/artifacts.ts'
import { deadlineS } from '../../packages/devnet/src/contracts/liquidity.ts'
import { callOf } from './concentratedPool.ts'
import type { DevNode } from './devNode.ts'
import { approval, deployArtifact, deployToken, type Receipt, read, transact } from './simulate.ts'
import type { VenueRunOptions } from './venueRun.ts'

const requirePackage = createRequire(import.meta.url)
const folderOf = (task: string) => `@balancer-labs/v2-deployments/dist/tasks/${task}`

export function loadBalancer(task: string, name: string): Artifact {
  const folder = folderOf(task)
  const { creationCode } = requirePackage(`${folder}/bytecode/${name}.json`) as Record<
    string,
    string
  >
  return {
    abi: requirePackage(`${folder}/abi/${name}.json`) as Abi,
    bytecode: `0x${creationCode}`,
  }
}

/** Loads artifacts of later contracts, which are published as compiler output. */
export function loadCompiledBalancer(task: string, name: string): Artifact {
  return requirePackage(`${folderOf(task)}/artifact/${name}.json`) as Artifact
}

const authorizerOf = loadBalancer('20210418-authorizer', 'Authorizer')
const vaultOf = loadBalancer('20210418-vault', 'Vault')

export type BalancerVault = Awaited<ReturnType<typeof deployBalancerVault>>

type PoolTokens = readonly [tokens: readonly Address[], balances: readonly bigint[], block: bigint]

/**
 * Deploys the vault with three tokens of the deployer, sorted by address and approved to the vault.
 * The first token is worth a dollar.
 */
export async function deployBalancerVault(node: DevNode) {
  const from = node.wallets.deployer
  const authorizer = await deployArtifact(node, authorizerOf, [from])
  const { weth } = node.deployment
  const vault = await deployArtifact(node, vaultOf, [authorizer, weth, 0n, 0n])
  const made: Address[] = []
  for (const symbol of ['AAA', 'BBB', 'CCC']) made.push(await deployToken(node, { symbol }))
  const tokens = made.toSorted()
  await transact(node, ...tokens.map((token) => approval(token, from, vault)))
  const profile: VenueRunOptions['profile'] = {
    ...node.profile,
    stables: [tokens[0]!],
    quotes: [tokens[0]!, node.profile.native.wrappedToken],
    venues: [{ address: vault, venue: 'balancerV2', amm: 'balancerv2' }],
  }
  const atVault = (name: string, args: readonly unknown[]) =>
    callOf(from, vault, vaultOf.abi, name, args)
  const funds = {
    sender: from,
    fromInternalBalance: false,
    recipient: from,
    toInternalBalance: false,
  }

  return {
    from,
    vault,
    tokens,
    profile,
    /**
     * The first join of a pool. A pool that holds its own shares decides itself how many it takes.
     */
    joinOf(id: Hex, assets: readonly Address[], amounts: readonly bigint[]) {
      const forms = [{ type: 'uint256' }, { type: 'uint256[]' }] as const
      const userData = encodeAbiParameters(forms, [0n, amounts])
      const maxAmountsIn = amounts.map((amount) => amount || maxUint256)
      const request = { assets, maxAmountsIn, userData, fromInternalBalance: false }
      return { ...atVault('joinPool', [id, from, from, request]), gas: 2_000_000 }
    },
    swapOf(id: Hex, assetIn: Address, assetOut: Address, kind: 0 | 1, amount: bigint) {
      const single = { poolId: id, kind, assetIn, assetOut, amount, userData: '0x' }
      const limit = kind === 0 ? 0n : maxUint256
      return atVault('swap', [single, funds, limit, deadlineS])
    },
    async poolTokens(
      id: Hex,
    ): Promise<{ assets: readonly Address[]; balances: readonly bigint[] }> {
      const [told, balances] = await read<PoolTokens>(node, vault, vaultOf.abi, 'getPoolTokens', [
        id,
      ])
      return { assets: told.map((asset) => asset.toLowerCase() as Address), balances }
    },
    /** The pool that a factory created in this transaction. */
    async poolOf(receipt: Receipt, factory: Address): Promise<{ pool: Address; id: Hex }> {
      const logs = receipt.logs.filter(({ address }) => address.toLowerCase() === factory)
      const pool = `0x${logs.at(-1)!.topics[1]!.slice(26)}` as Address
      return { pool, id: await read<Hex>(node, pool, weightedPoolOf.abi, 'getPoolId') }
    },
  }
}

const weightedPoolOf = loadBalancer('20210418-weighted-pool', 'WeightedPool')
