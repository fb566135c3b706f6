import { parseEther } from 'viem'
import type { Lane } from '../node/lane.ts'
import type { Request } from '../node/provider.ts'
import { zeroAddress } from '../profile.ts'
import { loadMulticall3, loadOwn, loadUniswap } from './artifacts.ts'
import type { Builder } from './builder.ts'
import type { Deployment } from './deployment.ts'
import type { Wallets } from './wallets.ts'

/** Address of Multicall3 on every public chain. */
const multicall3Address = '0xca11bde05977b3631167028862be2a173976ca11'

// A curve is complete at about 8.5 ETH, some tens of thousands of dollars as on public platforms.
const virtualEthStart = parseEther('3')

const stableSupply = 1_000_000_000_000n

/** Deploys the contracts that every market needs, without pools. */
export async function deployCore(
  lane: Lane,
  builder: Builder,
  { deployer, lps }: Wallets,
): Promise<Deployment> {
  const uniswap = loadUniswap()
  const deploy = (artifact: Parameters<Builder['deploy']>[1], ...args: unknown[]) =>
    builder.deploy(deployer, artifact, args)
  const weth = await deploy(uniswap.weth)
  const factoryV2 = await deploy(uniswap.factoryV2, zeroAddress)
  const routerV2 = await deploy(uniswap.routerV2, factoryV2, weth)
  const factoryV3 = await deploy(uniswap.factoryV3)
  const routerV3 = await deploy(uniswap.routerV3, factoryV3, weth)
  // The third argument draws a position's picture, which nothing here uses.
  const positions = await deploy(uniswap.positions, factoryV3, weth, zeroAddress)
  const launchPad = await deploy(loadOwn('LaunchPad'), weth, factoryV2, virtualEthStart)
  const lens = await deploy(loadOwn('Lens'))
  const plain = loadOwn('PlainToken')
  const usdc = await deploy(plain, 'USD Coin', 'USDC', 6, stableSupply * 10n ** 6n)
  const usdt = await deploy(plain, 'Tether USD', 'USDT', 18, stableSupply * 10n ** 18n)
  const multicall3 = await deploy(loadMulticall3())
  // Deployed by a provider: addresses of later tokens depend on the deployer's transaction count.
  const locker = await builder.deploy(lps[0]!, loadOwn('Locker'), [])
  await builder.mine()
  const code = await lane.request('eth_getCode', [multicall3, 'latest'])
  await lane.request('hardhat_setCode', [multicall3Address, code])
  return {
    blockNumber: await readBlockNumber(lane.request),
    weth,
    usdc,
    usdt,
    factoryV2,
    routerV2,
    factoryV3,
    positions,
    routerV3,
    multicall3: multicall3Address,
    launchPad,
    lens,
    locker,
    tokens: [],
    pools: [],
  }
}

export async function readBlockNumber(request: Request): Promise<number> {
  return Number(await request('eth_blockNumber'))
}
