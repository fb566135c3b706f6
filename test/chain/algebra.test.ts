// Pools of the real Algebra contracts.
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import type { Address } from 'viem'
import type { Artifact } from '../../packages/devnet/src/contracts/artifacts.ts'
import { compileSolidity } from '../support/compileSolidity.ts'
import { callOf, testConcentratedPool } from '../support/concentratedPool.ts'
import { deployArtifact, read, transact } from '../support/simulate.ts'

const requirePackage = createRequire(import.meta.url)
const load = (name: string) =>
  requirePackage(`@cryptoalgebra/v1-core/artifacts/contracts/${name}.sol/${name}.json`) as Artifact
const deployerOf = load('AlgebraPoolDeployer')
const factoryOf = load('AlgebraFactory')
const poolOf = load('AlgebraPool')
const callerPath = resolve(import.meta.dirname, '../support/AlgebraCaller.sol')

testConcentratedPool({
  venue: 'algebra',
  amm: 'quickv3',
  poolAbi: poolOf.abi,
  stateView: 'globalState',
  caller: compileSolidity(callerPath).get('AlgebraCaller')!,
  widest: [-887_220, 887_220],
  async makePool(node, tokens) {
    const from = node.wallets.deployer
    const deployer = await deployArtifact(node, deployerOf, [])
    const factory = await deployArtifact(node, factoryOf, [deployer, from])
    await transact(node, callOf(from, deployer, deployerOf.abi, 'setFactory', [factory]))
    await transact(node, callOf(from, factory, factoryOf.abi, 'createPool', tokens))
    const pool = await read<Address>(node, factory, factoryOf.abi, 'poolByPair', tokens)
    return { factory, pool }
  },
  async feePpmOf(node, pool) {
    type State = readonly [bigint, number, number]
    const [, , fee] = await read<State>(node, pool, poolOf.abi, 'globalState')
    return fee
  },
})
