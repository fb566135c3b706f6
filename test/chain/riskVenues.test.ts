// Simulated trades through pools of other venues than Uniswap: taxes, and tokens that cannot be
// sold.
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { type Abi, type Address, encodeFunctionData, type Hex, toFunctionSelector } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Artifact, loadUniswap } from '../../packages/devnet/src/contracts/artifacts.ts'
import { zeroAddress } from '../../packages/devnet/src/profile.ts'
import type { RiskPool } from '../../packages/server/src/risk/riskSubject.ts'
import { compileSolidity } from '../support/compileSolidity.ts'
import type { DevNode } from '../support/devNode.ts'
import { readSubject } from '../support/riskSubject.ts'
import { openRiskWorld, type RiskWorld } from '../support/riskWorld.ts'
import {
  approval,
  deployArtifact,
  deployContract,
  deployToken,
  read,
  transact,
  transfer,
} from '../support/simulate.ts'
import { deployUniswapV4, poolIdOf } from '../support/uniswapV4.ts'
import { sqrtPriceX96Of } from '../support/venueRun.ts'

const support = resolve(import.meta.dirname, '../support')
const tricks = compileSolidity(resolve(support, 'RiskTokens.sol'))
const algebraCaller = compileSolidity(resolve(support, 'AlgebraCaller.sol')).get('AlgebraCaller')!
const requirePackage = createRequire(import.meta.url)
const algebra = (name: string) =>
  requirePackage(`@cryptoalgebra/v1-core/artifacts/contracts/${name}.sol/${name}.json`) as Artifact
const { factoryV3, pool: poolV3 } = loadUniswap()

// Equal amounts of both tokens, for a price of about one.
const liquidity = 10n ** 22n
const fullRange = [-887_220, 887_220] as const

let world: RiskWorld
let node: DevNode
let from: Address
let alice: Address
let quote: Address

beforeAll(async () => {
  world = await openRiskWorld()
  node = world.node
  from = node.wallets.deployer
  alice = node.wallets.traders[0]!
  quote = await deployToken(node)
})

afterAll(() => world.close())

const sorted = (token: Address, other: Address) => [token, other].toSorted() as [Address, Address]
const call = (to: Address, abi: Abi, functionName: string, args: readonly unknown[]) => ({
  from,
  to,
  data: encodeFunctionData({ abi, functionName, args }),
  gas: 12_000_000,
})
const approvals = (token: Address, spender: Address) =>
  [token, quote].map((each) => approval(each, from, spender))

function poolOf(parts: Partial<RiskPool>): RiskPool {
  return {
    address: '',
    kind: 'concentrated',
    venue: '',
    factory: '',
    amm: 'any',
    isTrusted: true,
    feePpm: null,
    quote: { address: quote, symbol: 'QTE', decimals: 18 },
    quoteReserveRaw: 0n,
    params: [],
    liquidityUsd: 50_000,
    ...parts,
  }
}

/** Opens Uniswap V3 pools that call back for payment as those of PancakeSwap do. */
async function openPancake(token: Address): Promise<RiskPool> {
  const selectorOf = (name: string) => toFunctionSelector(`${name}(int256,int256,bytes)`).slice(2)
  const bytecode = factoryV3.bytecode.replaceAll(
    selectorOf('uniswapV3SwapCallback'),
    selectorOf('pancakeV3SwapCallback'),
  ) as Hex
  const factory = await deployArtifact(node, { ...factoryV3, bytecode }, [])
  const maker = tricks.get('PositionMaker')!
  const caller = await deployArtifact(node, maker, [])
  const args = [token, quote, 3000]
  await transact(
    node,
    call(factory, factoryV3.abi, 'createPool', args),
    ...approvals(token, caller),
  )
  const address = (await read<Address>(node, factory, factoryV3.abi, 'getPool', args)).toLowerCase()
  await transact(
    node,
    call(address as Address, poolV3.abi, 'initialize', [sqrtPriceX96Of(1)]),
    call(caller, maker.abi, 'mint', [address, ...fullRange, liquidity]),
  )
  return poolOf({ address, venue: 'pancakeV3', factory })
}

async function openAlgebra(token: Address): Promise<RiskPool> {
  const [deployerOf, factoryOf, poolAbi] = [
    ...[algebra('AlgebraPoolDeployer'), algebra('AlgebraFactory'), algebra('AlgebraPool').abi],
  ] as [Artifact, Artifact, Abi]
  const deployer = await deployArtifact(node, deployerOf, [])
  const factory = await deployArtifact(node, factoryOf, [deployer, from])
  const caller = await deployArtifact(node, algebraCaller, [])
  const args = [token, quote]
  await transact(
    node,
    call(deployer, deployerOf.abi, 'setFactory', [factory]),
    call(factory, factoryOf.abi, 'createPool', args),
    ...approvals(token, caller),
  )
  const address = (
    await read<Address>(node, factory, factoryOf.abi, 'poolByPair', args)
  ).toLowerCase()
  await transact(
    node,
    call(address as Address, poolAbi, 'initialize', [sqrtPriceX96Of(1)]),
    call(caller, algebraCaller.abi, 'mint', [address, ...fullRange, liquidity]),
  )
  return poolOf({ address, venue: 'algebra', factory })
}

async function openSolidly(token: Address): Promise<RiskPool> {
  const pair = tricks.get('QuotedPair')!
  const address = await deployArtifact(node, pair, sorted(token, quote))
  for (const each of [token, quote]) await transfer(node, each, from, address, liquidity)
  await transact(node, call(address, pair.abi, 'sync', []))
  return poolOf({ address, kind: 'constantProduct', venue: 'solidly' })
}

async function openV4(token: Address, other: Address): Promise<RiskPool> {
  const v4 = await deployUniswapV4(node, from)
  const [currency0, currency1] = sorted(token, other)
  const key = { currency0, currency1, fee: 3_000, tickSpacing: 60 }
  const position = {
    tickLower: fullRange[0],
    tickUpper: fullRange[1],
    liquidityDelta: 10n ** 19n,
  }
  const value = other === zeroAddress ? 2n * position.liquidityDelta : 0n
  await transact(
    node,
    ...[token, other].filter((each) => each !== zeroAddress).flatMap(v4.approvals),
    v4.initialize(key, sqrtPriceX96Of(1)),
    v4.modifyLiquidity(key, position, value),
  )
  return poolOf({
    address: poolIdOf(key),
    kind: 'vault',
    venue: 'uniswapV4',
    factory: v4.manager,
    quote: { address: other, symbol: 'QTE', decimals: 18 },
    params: [3_000n, 60n, 0n],
    quoteReserveRaw: position.liquidityDelta,
  })
}

const venues = {
  pancakeV3: openPancake,
  algebra: openAlgebra,
  solidly: openSolidly,
  'uniswapV4, against a token': (token: Address) => openV4(token, quote),
  'uniswapV4, against the coin itself': (token: Address) => openV4(token, zeroAddress),
}

test.each(Object.entries(venues))('behavior: %s', async (_, open) => {
  async function bodyOf(token: Address) {
    const pools = [await open(token)]
    await transfer(node, token, from, alice, 10n ** 18n)
    const subject = await readSubject(node, token, { pools, holders: [alice] })
    const profile = { ...node.profile, native: { ...node.profile.native, coin: zeroAddress } }
    return await world.bodyOf(subject, world.openReader({}, undefined, profile))
  }
  const clean = { is_honeypot: 0, cannot_buy: '0', cannot_sell_all: '0', err_code: '0' }
  expect(await bodyOf(await deployToken(node))).toMatchObject({
    ...clean,
    buy_tax: 0,
    sell_tax: 0,
    transfer_tax: '0',
    holder_analysis: { simulate_holders: 1, sell_successful: 1, average_tax: 0 },
  })
  const taxed = await deployContract(node, 'FeeToken', ['Fee', 'FEE', 10n ** 26n, 300n])
  expect(await bodyOf(taxed)).toMatchObject({
    ...clean,
    buy_tax: 3,
    sell_tax: 3,
    transfer_tax: '3',
  })
  const trap = await deployArtifact(node, tricks.get('SpendTrap')!, [])
  expect(await bodyOf(trap)).toMatchObject({
    is_honeypot: 1,
    cannot_buy: '0',
    buy_tax: 0,
    transfer_tax: '0',
    holder_analysis: { simulate_holders: 1, sell_failure: 1 },
  })
})
