import { createConfig, factory } from 'ponder'
import { parseAbi } from 'viem'

const { factoryV2, factoryV3, endBlock, rpcUrl } = JSON.parse(process.env.BENCH_CHAIN)
const abi = parseAbi([
  'event PairCreated(address indexed token0, address indexed token1, address pair, uint256)',
  'event PoolCreated(address indexed token0, address indexed token1, uint24 indexed fee, int24 tickSpacing, address pool)',
  'event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)',
  'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)',
])
const [pairCreated, poolCreated, swapV2, swapV3] = abi
const contract = (event, address, created, parameter) => ({
  chain: 'local',
  abi: [event],
  startBlock: 0,
  endBlock,
  address: factory({ address, event: created, parameter, startBlock: 0, endBlock }),
})

export default createConfig({
  chains: { local: { id: 31_337, rpc: rpcUrl, pollingInterval: 60_000 } },
  contracts: {
    PairV2: contract(swapV2, factoryV2, pairCreated, 'pair'),
    PoolV3: contract(swapV3, factoryV3, poolCreated, 'pool'),
  },
})
