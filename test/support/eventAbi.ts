/**
 * The decoded events as Solidity, so that tests and benches can encode them, and decode them with
 * viem.
 */
export const eventAbi = {
  swapPancakeV3:
    'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint128 protocolFeesToken0, uint128 protocolFeesToken1)',
  transfer: 'event Transfer(address indexed from, address indexed to, uint256 value)',
  deposit: 'event Deposit(address indexed dst, uint256 wad)',
  withdrawal: 'event Withdrawal(address indexed src, uint256 wad)',
  pairCreated:
    'event PairCreated(address indexed token0, address indexed token1, address pair, uint256 count)',
  swapV2:
    'event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)',
  sync: 'event Sync(uint112 reserve0, uint112 reserve1)',
  mintV2: 'event Mint(address indexed sender, uint256 amount0, uint256 amount1)',
  burnV2:
    'event Burn(address indexed sender, uint256 amount0, uint256 amount1, address indexed to)',
  poolCreated:
    'event PoolCreated(address indexed token0, address indexed token1, uint24 indexed fee, int24 tickSpacing, address pool)',
  initialize: 'event Initialize(uint160 sqrtPriceX96, int24 tick)',
  swapV3:
    'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)',
  mintV3:
    'event Mint(address sender, address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)',
  burnV3:
    'event Burn(address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)',
  collect:
    'event Collect(address indexed owner, address recipient, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount0, uint128 amount1)',
  collectProtocol:
    'event CollectProtocol(address indexed sender, address indexed recipient, uint128 amount0, uint128 amount1)',
  flash:
    'event Flash(address indexed sender, address indexed recipient, uint256 amount0, uint256 amount1, uint256 paid0, uint256 paid1)',
  tokenCreated:
    'event TokenCreated(address indexed token, address indexed creator, uint256 supply, uint256 targetEth)',
  trade:
    'event Trade(address indexed token, address indexed trader, bool isBuy, uint256 tokenAmount, uint256 ethAmount, uint256 virtualToken, uint256 virtualEth, uint256 realToken, uint256 realEth)',
  graduated:
    'event Graduated(address indexed token, address indexed pair, uint256 tokenAmount, uint256 ethAmount)',
} as const
