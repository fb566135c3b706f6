import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Abi, Hex } from 'viem'

export type Artifact = { abi: Abi; bytecode: Hex }

const requirePackage = createRequire(import.meta.url)

/** Contracts of this package, compiled by scripts/compile.ts. */
export type OwnContract =
  | 'Bytes32Token'
  | 'FeeToken'
  | 'HoneypotToken'
  | 'HostileToken'
  | 'LaunchPad'
  | 'LaunchToken'
  | 'Lens'
  | 'Locker'
  | 'MintableToken'
  | 'PlainToken'

export function loadOwn(name: OwnContract): Artifact {
  const url = new URL(`../../artifacts/${name}.json`, import.meta.url)
  return JSON.parse(readFileSync(url, 'utf8')) as Artifact
}

/** Bytecode as Uniswap published it: the addresses of pools depend on it. */
export function loadUniswap() {
  return {
    weth: waffle('@uniswap/v2-periphery/build/WETH9.json'),
    factoryV2: waffle('@uniswap/v2-core/build/UniswapV2Factory.json'),
    pair: waffle('@uniswap/v2-core/build/UniswapV2Pair.json'),
    routerV2: waffle('@uniswap/v2-periphery/build/UniswapV2Router02.json'),
    factoryV3: hardhat('v3-core', 'UniswapV3Factory'),
    pool: hardhat('v3-core', 'UniswapV3Pool'),
    positions: hardhat('v3-periphery', 'NonfungiblePositionManager'),
    routerV3: hardhat('v3-periphery', 'SwapRouter'),
  }
}

function waffle(path: string): Artifact {
  const json = requirePackage(path) as { abi: Abi; evm: { bytecode: { object: string } } }
  return { abi: json.abi, bytecode: `0x${json.evm.bytecode.object}` }
}

function hardhat(name: string, contract: string): Artifact {
  const path = `@uniswap/${name}/artifacts/contracts/${contract}.sol/${contract}.json`
  const { abi, bytecode } = requirePackage(path) as Artifact
  return { abi, bytecode }
}

/** Creation code of Multicall3; viem contains it but does not export it by name. */
export function loadMulticall3(): Artifact {
  const path = join(dirname(requirePackage.resolve('viem')), 'constants/contracts.js')
  const { multicall3Bytecode } = requirePackage(path) as { multicall3Bytecode: Hex }
  return { abi: [], bytecode: multicall3Bytecode }
}
