import { type Abi, decodeEventLog, type Hex, parseAbi } from 'viem'
import type { ChainLog } from './readChain.ts'

export const tokenEvents = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
])

export const wrappedTokenEvents = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event Deposit(address indexed dst, uint256 wad)',
  'event Withdrawal(address indexed src, uint256 wad)',
])

export const v2FactoryEvents = parseAbi([
  'event PairCreated(address indexed token0, address indexed token1, address pair, uint256 count)',
])

export const v3FactoryEvents = parseAbi([
  'event PoolCreated(address indexed token0, address indexed token1, uint24 indexed fee, int24 tickSpacing, address pool)',
])

export const v2PoolEvents = parseAbi([
  'event Sync(uint112 reserve0, uint112 reserve1)',
  'event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)',
])

export const v3PoolEvents = parseAbi([
  'event Initialize(uint160 sqrtPriceX96, int24 tick)',
  'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)',
])

export const launchPlatformEvents = parseAbi([
  'event TokenCreated(address indexed token, address indexed creator, uint256 supply, uint256 targetEth)',
  'event Trade(address indexed token, address indexed trader, bool isBuy, uint256 tokenAmount, uint256 ethAmount, uint256 virtualToken, uint256 virtualEth, uint256 realToken, uint256 realEth)',
  'event Graduated(address indexed token, address indexed pair, uint256 tokenAmount, uint256 ethAmount)',
])

/** The log decoded as one of the events of `abi`; undefined when it is another event. */
export function decodeLog<const abi extends Abi>(abi: abi, log: ChainLog) {
  const [topic0, ...topics] = log.topics as Hex[]
  if (topic0 === undefined) return undefined
  try {
    return decodeEventLog({ abi, data: log.data as Hex, topics: [topic0, ...topics] })
  } catch {
    // The event is not in the ABI, or it is an ERC-721 Transfer with a third indexed parameter.
    return undefined
  }
}
