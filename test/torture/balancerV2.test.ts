// Weighted pools of the real vault of Balancer V2, of two tokens and of three, beside what the vault says of them.
import { createRequire } from 'node:module'
import { type Abi, type Address, encodeAbiParameters, type Hex, maxUint256 } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Artifact } from '../../packages/devnet/src/contracts/artifacts.ts'
import { deadlineS } from '../../packages/devnet/src/contracts/liquidity.ts'
import type { SwapEvent } from '../../packages/server/src/model/marketEvent.ts'
import { callOf } from '../support/concentratedPool.ts'
import { type DevNode, startDevNode } from '../support/devNode.ts'
import { movedInto } from '../support/movedInto.ts'
import { approval, deployArtifact, deployToken, read, transact } from '../support/simulate.ts'
import { openVenueRun } from '../support/venueRun.ts'

const requirePackage = createRequire(import.meta.url)
function load(task: string, name: string): Artifact {
  const folder = `@balancer-labs/v2-deployments/dist/tasks/${task}`
  const { creationCode } = requirePackage(`${folder}/bytecode/${name}.json`) as Record<
    string,
    string
  >
  return {
    abi: requirePackage(`${folder}/abi/${name}.json`) as Abi,
    bytecode: `0x${creationCode}`,
  }
}
const authorizerOf = load('20210418-authorizer', 'Authorizer')
const vaultOf = load('20210418-vault', 'Vault')
const factoryOf = load('20210418-weighted-pool', 'WeightedPoolFactory')
const poolOf = load('20210418-weighted-pool', 'WeightedPool')

const unit = 10n ** 18n
const feePercentage = 3n * 10n ** 15n
type Run = ReturnType<typeof openVenueRun>
type PoolTokens = readonly [tokens: readonly Address[], balances: readonly bigint[], block: bigint]

let node: DevNode
let from: Address
let vault: Address
let factory: Address
let tokens: Address[]
let profile: Parameters<typeof openVenueRun>[0]['profile']

beforeAll(async () => {
  node = await startDevNode()
  from = node.wallets.deployer
  const authorizer = await deployArtifact(node, authorizerOf, [from])
  vault = await deployArtifact(node, vaultOf, [authorizer, node.deployment.weth, 0n, 0n])
  factory = await deployArtifact(node, factoryOf, [vault])
  const made: Address[] = []
  for (const symbol of ['AAA', 'BBB', 'CCC']) made.push(await deployToken(node, { symbol }))
  tokens = made.toSorted()
  profile = {
    ...node.profile,
    stables: [tokens[0]!],
    quotes: [tokens[0]!, node.profile.native.wrappedToken],
    venues: [{ address: vault, venue: 'balancerV2', amm: 'balancerv2' }],
  }
  await transact(node, ...tokens.map((token) => approval(token, from, vault)))
})

afterAll(async () => {
  await node?.stop()
})

const atVault = (name: string, args: readonly unknown[]) =>
  callOf(from, vault, vaultOf.abi, name, args)

/** A pool with what is joined to it. */
async function openPool(run: Run, weights: readonly bigint[], amounts: readonly bigint[]) {
  const assets = tokens.slice(0, weights.length)
  const terms = ['Pool', 'BPT', assets, weights, feePercentage, from]
  const { receipt } = await run.play(callOf(from, factory, factoryOf.abi, 'create', terms))
  const created = receipt.logs.find(({ address }) => address.toLowerCase() === factory)!
  const pool = `0x${created.topics[1]!.slice(26)}` as Address
  const id = await read<Hex>(node, pool, poolOf.abi, 'getPoolId')
  const forms = [{ type: 'uint256' }, { type: 'uint256[]' }] as const
  const userData = encodeAbiParameters(forms, [0n, amounts])
  const request = { assets, maxAmountsIn: amounts, userData, fromInternalBalance: false }
  await run.play(atVault('joinPool', [id, from, from, request]))
  return { id, assets }
}

function swapOf(id: Hex, assetIn: Address, assetOut: Address, kind: number, amount: bigint) {
  const single = { poolId: id, kind, assetIn, assetOut, amount, userData: '0x' }
  const funds = {
    sender: from,
    fromInternalBalance: false,
    recipient: from,
    toInternalBalance: false,
  }
  const limit = kind === 0 ? 0n : maxUint256
  return atVault('swap', [single, funds, limit, deadlineS])
}

/** Reserves as the vault has them, and the price of its weights. */
async function expectAsVault(
  { engine }: Run,
  pair: number,
  id: Hex,
  places: readonly [number, number],
  weights: readonly bigint[],
): Promise<void> {
  const [, balances] = await read<PoolTokens>(node, vault, vaultOf.abi, 'getPoolTokens', [id])
  const state = engine.pairState(pair)
  const [balance0, balance1] = places.map((place) => balances[place]!) as [bigint, bigint]
  expect([state.reserve0, state.reserve1]).toEqual([balance0, balance1])
  const [weight0, weight1] = places.map((place) => Number(weights[place]!)) as [number, number]
  const price = Number(balance1) / weight1 / (Number(balance0) / weight0)
  expect(state.priceRaw / price).toBeCloseTo(1, 12)
  expect(state.record).toMatchObject({ venue: 'balancerV2', amm: 'balancerv2', isTrusted: true })
}

describe.each([
  { name: 'two tokens', weights: [8n, 2n].map((tenths) => (tenths * unit) / 10n) },
  { name: 'three tokens', weights: [5n, 3n, 2n].map((tenths) => (tenths * unit) / 10n) },
])('$name', ({ weights }) => {
  test('behavior: amounts are those that moved, reserves and price the vault’s, also for who starts later', async () => {
    const run = openVenueRun({ node, profile })
    const amounts = weights.map((_, i) => BigInt(i + 1) * 100_000n * unit)
    const { id, assets } = await openPool(run, weights, amounts)
    const { number } = await node.readHead()
    const later = openVenueRun({ node, profile, startBlock: number + 1 })
    const last = assets.length - 1
    for (const [placeIn, placeOut, kind, amount] of [
      [0, last, 0, 5_000n],
      [last, 0, 0, 20_000n],
      [0, 1, 1, 1_000n],
      [last, last - 1, 1, 10n],
      [1, 0, 0, 3n],
    ] as const) {
      const [assetIn, assetOut] = [assets[placeIn]!, assets[placeOut]!]
      const { swaps, receipt } = await run.play(swapOf(id, assetIn, assetOut, kind, amount * unit))
      expect(swaps).toHaveLength(1)
      const [{ swap }] = swaps as [SwapEvent]
      const places = [placeIn, placeOut].toSorted() as [number, number]
      expect(swap.wallet).toBe(from)
      expect([swap.amount0, swap.amount1]).toEqual(
        places.map((place) => movedInto(receipt, assets[place]!, vault)),
      )
      await expectAsVault(run, swap.pairId, id, places, weights)
      const [{ swap: seen }] = (await later.follow()) as [SwapEvent]
      expect([seen.amount0, seen.amount1]).toEqual([swap.amount0, swap.amount1])
      await expectAsVault(later, seen.pairId, id, places, weights)
    }
    for (const one of [run, later]) one.pipeline.close()
  })
})
