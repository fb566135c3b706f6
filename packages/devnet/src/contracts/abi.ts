import { parseAbi } from 'viem'

export const tokenAbi = parseAbi([
  'function approve(address spender, uint256 value)',
  'function transfer(address to, uint256 value)',
  'function balanceOf(address owner) view returns (uint256)',
  'function totalSupply() view returns (uint256)',
  'function burn(uint256 value)',
  'function mint(address to, uint256 value)',
  'function pause()',
  'function unpause()',
  'function setBlacklisted(address account, bool value)',
  'function markPool(address pool)',
  'function deposit() payable',
])

export const factoryV2Abi = parseAbi([
  'function createPair(address tokenA, address tokenB) returns (address)',
  'function getPair(address tokenA, address tokenB) view returns (address)',
])

export const pairAbi = parseAbi([
  'function getReserves() view returns (uint112 reserve0, uint112 reserve1, uint32 timeS)',
  'function token0() view returns (address)',
  'function skim(address to)',
  'function sync()',
])

export const routerV2Abi = parseAbi([
  'function addLiquidity(address tokenA, address tokenB, uint256 amountADesired, uint256 amountBDesired, uint256 amountAMin, uint256 amountBMin, address to, uint256 deadline)',
  'function addLiquidityETH(address token, uint256 amountTokenDesired, uint256 amountTokenMin, uint256 amountETHMin, address to, uint256 deadline) payable',
  'function removeLiquidity(address tokenA, address tokenB, uint256 liquidity, uint256 amountAMin, uint256 amountBMin, address to, uint256 deadline)',
  'function swapExactETHForTokensSupportingFeeOnTransferTokens(uint256 amountOutMin, address[] path, address to, uint256 deadline) payable',
  'function swapExactTokensForETHSupportingFeeOnTransferTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)',
  'function swapExactTokensForTokensSupportingFeeOnTransferTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)',
])

export const poolAbi = parseAbi([
  'function slot0() view returns (uint160 sqrtPriceX96, int24 tick, uint16 a, uint16 b, uint16 c, uint8 d, bool e)',
  'function liquidity() view returns (uint128)',
])

export const factoryV3Abi = parseAbi([
  'function getPool(address tokenA, address tokenB, uint24 fee) view returns (address)',
])

export const positionsAbi = parseAbi([
  'struct MintParams { address token0; address token1; uint24 fee; int24 tickLower; int24 tickUpper; uint256 amount0Desired; uint256 amount1Desired; uint256 amount0Min; uint256 amount1Min; address recipient; uint256 deadline; }',
  'struct DecreaseParams { uint256 tokenId; uint128 liquidity; uint256 amount0Min; uint256 amount1Min; uint256 deadline; }',
  'struct CollectParams { uint256 tokenId; address recipient; uint128 amount0Max; uint128 amount1Max; }',
  'function createAndInitializePoolIfNecessary(address token0, address token1, uint24 fee, uint160 sqrtPriceX96) payable returns (address)',
  'function mint(MintParams params) payable',
  'function decreaseLiquidity(DecreaseParams params) payable',
  'function collect(CollectParams params) payable',
  'function burn(uint256 tokenId) payable',
  'function refundETH() payable',
  'function multicall(bytes[] data) payable',
  'function balanceOf(address owner) view returns (uint256)',
  'function tokenOfOwnerByIndex(address owner, uint256 index) view returns (uint256)',
  'function positions(uint256 tokenId) view returns (uint96 nonce, address operator, address token0, address token1, uint24 fee, int24 tickLower, int24 tickUpper, uint128 liquidity, uint256 feeGrowth0, uint256 feeGrowth1, uint128 owed0, uint128 owed1)',
])

export const routerV3Abi = parseAbi([
  'struct SwapParams { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 deadline; uint256 amountIn; uint256 amountOutMinimum; uint160 sqrtPriceLimitX96; }',
  'function exactInputSingle(SwapParams params) payable',
  'function refundETH() payable',
  'function unwrapWETH9(uint256 amountMinimum, address recipient) payable',
  'function multicall(bytes[] data) payable',
])

export const launchPadAbi = parseAbi([
  'function createToken(string name, string symbol) payable returns (address)',
  'function buy(address token, uint256 tokenAmountMin) payable returns (uint256)',
  'function sell(address token, uint256 tokenAmount, uint256 ethMin) returns (uint256)',
  'function withdrawFees()',
  'function tokenCount() view returns (uint256)',
  'function tokens(uint256 index) view returns (address)',
  'function targetEth() view returns (uint256)',
  'function curves(address token) view returns (uint256 virtualToken, uint256 virtualEth, uint256 realToken, uint256 realEth, bool isOpen)',
])

export const lensAbi = parseAbi([
  'function market(address[] v2, address[] v3, address launchPad, uint256 curveCountMax) view returns (uint256[])',
  'function holdings(address[] tokens, address[] owners, address[] spenders) view returns (uint256[])',
])

export const lockerAbi = parseAbi([
  'function deposit(address token, uint256 amount, uint256 unlockTime) returns (uint256 id)',
  'function withdraw(uint256 id)',
])
