// Pools of the real PancakeSwap V3 contracts.
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import type { Address } from 'viem'
import type { Artifact } from '../../packages/devnet/src/contracts/artifacts.ts'
import { compileSolidity } from '../support/compileSolidity.ts'
import { callOf, testConcentratedPool } from '../support/concentratedPool.ts'
import { deployArtifact, read, transact } from '../support/simulate.ts'

const requirePackage = createRequire(import.meta.url)
const load = (name: string) =>
  requirePackage(`@pancakeswap/v3-core/artifacts/contracts/${name}.sol/${name}.json`) as Artifact
const factoryOf = load('PancakeV3Factory')
const poolOf = load('PancakeV3Pool')
const compiled = compileSolidity(resolve(import.meta.dirname, '../support/PancakeCaller.sol'))

testConcentratedPool({
  venue: 'pancakeV3',
  amm: 'cakev3',
  poolAbi: poolOf.abi,
  stateView: 'slot0',
  caller: compiled.get('PancakeCaller')!,
  widest: [-887_250, 887_250],
  async makePool(node, tokens) {
    const from = node.wallets.deployer
    const deployer = await deployArtifact(node, compiled.get('PancakeDeployer')!, [poolOf.bytecode])
    const factory = await deployArtifact(node, factoryOf, [deployer])
    const terms = [...tokens, 2_500]
    await transact(node, callOf(from, factory, factoryOf.abi, 'createPool', terms))
    const pool = await read<Address>(node, factory, factoryOf.abi, 'getPool', terms)
    return { factory, pool }
  },
  feePpmOf: (node, pool) => read<number>(node, pool, poolOf.abi, 'fee'),
})
