/** Events of later venues as Solidity, for tests to encode them. */
export const venueAbi = {
  pairCreatedSolidly:
    'event PairCreated(address indexed token0, address indexed token1, bool stable, address pair, uint256 count)',
  poolCreatedSolidly:
    'event PoolCreated(address indexed token0, address indexed token1, bool indexed stable, address pool, uint256 count)',
  swapSolidly:
    'event Swap(address indexed sender, address indexed to, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out)',
  syncSolidly: 'event Sync(uint256 reserve0, uint256 reserve1)',
  burnSolidly:
    'event Burn(address indexed sender, address indexed to, uint256 amount0, uint256 amount1)',
  poolCreatedSlipstream:
    'event PoolCreated(address indexed token0, address indexed token1, int24 indexed tickSpacing, address pool)',
  poolAlgebra: 'event Pool(address indexed token0, address indexed token1, address pool)',
  customPoolAlgebra:
    'event CustomPool(address indexed deployer, address indexed token0, address indexed token1, address pool)',
  initializeV4:
    'event Initialize(bytes32 indexed id, address indexed currency0, address indexed currency1, uint24 fee, int24 tickSpacing, address hooks, uint160 sqrtPriceX96, int24 tick)',
  swapV4:
    'event Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint24 fee)',
  modifyLiquidityV4:
    'event ModifyLiquidity(bytes32 indexed id, address indexed sender, int24 tickLower, int24 tickUpper, int256 liquidityDelta, bytes32 salt)',
  donateV4:
    'event Donate(bytes32 indexed id, address indexed sender, uint256 amount0, uint256 amount1)',
  initializeInfinityCl:
    'event Initialize(bytes32 indexed id, address indexed currency0, address indexed currency1, address hooks, uint24 fee, bytes32 parameters, uint160 sqrtPriceX96, int24 tick)',
  swapInfinityCl:
    'event Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint24 fee, uint16 protocolFee)',
  initializeInfinityBin:
    'event Initialize(bytes32 indexed id, address indexed currency0, address indexed currency1, address hooks, uint24 fee, bytes32 parameters, uint24 activeId)',
  swapInfinityBin:
    'event Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint24 activeId, uint24 fee, uint16 protocolFee)',
  mintInfinityBin:
    'event Mint(bytes32 indexed id, address indexed sender, uint256[] ids, bytes32 salt, bytes32[] amounts, bytes32 compositionFeeAmount, bytes32 feeAmountToProtocol)',
  burnInfinityBin:
    'event Burn(bytes32 indexed id, address indexed sender, uint256[] ids, bytes32 salt, bytes32[] amounts)',
  exchangeCurve:
    'event TokenExchange(address indexed buyer, int128 sold_id, uint256 tokens_sold, int128 bought_id, uint256 tokens_bought)',
  exchangeUnderlyingCurve:
    'event TokenExchangeUnderlying(address indexed buyer, int128 sold_id, uint256 tokens_sold, int128 bought_id, uint256 tokens_bought)',
  exchangeCurveCrypto:
    'event TokenExchange(address indexed buyer, uint256 sold_id, uint256 tokens_sold, uint256 bought_id, uint256 tokens_bought)',
  exchangeCurveNg:
    'event TokenExchange(address indexed buyer, uint256 sold_id, uint256 tokens_sold, uint256 bought_id, uint256 tokens_bought, uint256 fee, uint256 packed_price_scale)',
  addedCurve:
    'event AddLiquidity(address indexed provider, uint256[2] token_amounts, uint256[2] fees, uint256 invariant, uint256 token_supply)',
  addedCurveNg:
    'event AddLiquidity(address indexed provider, uint256[] token_amounts, uint256[] fees, uint256 invariant, uint256 token_supply)',
  addedCurveCrypto:
    'event AddLiquidity(address indexed provider, uint256[2] token_amounts, uint256 fee, uint256 token_supply)',
  addedCurveTwocrypto:
    'event AddLiquidity(address indexed provider, uint256[2] token_amounts, uint256 fee, uint256 token_supply, uint256 packed_price_scale)',
  removedCurve:
    'event RemoveLiquidity(address indexed provider, uint256[2] token_amounts, uint256[2] fees, uint256 token_supply)',
  removedCurveNg:
    'event RemoveLiquidity(address indexed provider, uint256[] token_amounts, uint256[] fees, uint256 token_supply)',
  removedCurveCrypto:
    'event RemoveLiquidity(address indexed provider, uint256[2] token_amounts, uint256 token_supply)',
  removedCurveUneven:
    'event RemoveLiquidityImbalance(address indexed provider, uint256[2] token_amounts, uint256[2] fees, uint256 invariant, uint256 token_supply)',
  removedCurveNgUneven:
    'event RemoveLiquidityImbalance(address indexed provider, uint256[] token_amounts, uint256[] fees, uint256 invariant, uint256 token_supply)',
  swapBalancerV2:
    'event Swap(bytes32 indexed poolId, address indexed tokenIn, address indexed tokenOut, uint256 amountIn, uint256 amountOut)',
  balanceChangedBalancerV2:
    'event PoolBalanceChanged(bytes32 indexed poolId, address indexed liquidityProvider, address[] tokens, int256[] deltas, uint256[] protocolFeeAmounts)',
  balanceManagedBalancerV2:
    'event PoolBalanceManaged(bytes32 indexed poolId, address indexed assetManager, address indexed token, int256 cashDelta, int256 managedDelta)',
  tokensRegisteredBalancerV2:
    'event TokensRegistered(bytes32 indexed poolId, address[] tokens, address[] assetManagers)',
  swapBalancerV3:
    'event Swap(address indexed pool, address indexed tokenIn, address indexed tokenOut, uint256 amountIn, uint256 amountOut, uint256 swapFeePercentage, uint256 swapFeeAmount)',
  liquidityAddedBalancerV3:
    'event LiquidityAdded(address indexed pool, address indexed liquidityProvider, uint8 indexed kind, uint256 totalSupply, uint256[] amountsAddedRaw, uint256[] swapFeeAmountsRaw)',
  liquidityRemovedBalancerV3:
    'event LiquidityRemoved(address indexed pool, address indexed liquidityProvider, uint8 indexed kind, uint256 totalSupply, uint256[] amountsRemovedRaw, uint256[] swapFeeAmountsRaw)',
  poolRegisteredBalancerV3:
    'event PoolRegistered(address indexed pool, address indexed factory, (address token, uint8 tokenType, address rateProvider, bool paysYieldFees)[] tokenConfig, uint256 swapFeePercentage, uint32 pauseWindowEndTime, (address pauseManager, address swapFeeManager, address poolCreator) roleAccounts, (bool enableHookAdjustedAmounts, bool shouldCallBeforeInitialize, bool shouldCallAfterInitialize, bool shouldCallComputeDynamicSwapFee, bool shouldCallBeforeSwap, bool shouldCallAfterSwap, bool shouldCallBeforeAddLiquidity, bool shouldCallAfterAddLiquidity, bool shouldCallBeforeRemoveLiquidity, bool shouldCallAfterRemoveLiquidity, address hooksContract) hooksConfig, (bool disableUnbalancedLiquidity, bool enableAddLiquidityCustom, bool enableRemoveLiquidityCustom, bool enableDonation) liquidityManagement)',
  pairCreatedLiquidityBook:
    'event LBPairCreated(address indexed tokenX, address indexed tokenY, uint256 indexed binStep, address LBPair, uint256 pid)',
  swapLiquidityBook:
    'event Swap(address indexed sender, address indexed to, uint24 id, bytes32 amountsIn, bytes32 amountsOut, uint24 volatilityAccumulator, bytes32 totalFees, bytes32 protocolFees)',
  swapLiquidityBookV20:
    'event Swap(address indexed sender, address indexed recipient, uint256 indexed id, bool swapForY, uint256 amountIn, uint256 amountOut, uint256 volatilityAccumulated, uint256 fees)',
  depositedLiquidityBook:
    'event DepositedToBins(address indexed sender, address indexed to, uint256[] ids, bytes32[] amounts)',
  withdrawnLiquidityBook:
    'event WithdrawnFromBins(address indexed sender, address indexed to, uint256[] ids, bytes32[] amounts)',
  twocryptoDeployedCurve:
    'event TwocryptoPoolDeployed(address pool, string name, string symbol, address[2] coins, address math, bytes32 salt, uint256[2] precisions, uint256 packed_A_gamma, uint256 packed_fee_params, uint256 packed_rebalancing_params, uint256 packed_prices, address deployer)',
  donateInfinityCl:
    'event Donate(bytes32 indexed id, address indexed sender, uint256 amount0, uint256 amount1, int24 tick)',
  swapDodo:
    'event DODOSwap(address fromToken, address toToken, uint256 fromAmount, uint256 toAmount, address trader, address receiver)',
  swapMaverickV2:
    'event PoolSwap(address sender, address recipient, (uint256 amount, bool tokenAIn, bool exactOutput, int32 tickLimit) params, uint256 amountIn, uint256 amountOut)',
  swapFluid: 'event Swap(bool swap0to1, uint256 amountIn, uint256 amountOut, address to)',
  swapWooFi:
    'event WooSwap(address indexed fromToken, address indexed toToken, uint256 fromAmount, uint256 toAmount, address from, address indexed to, address rebateTo, uint256 swapVol, uint256 swapFee)',
  swapWooFiV1:
    'event WooSwap(address indexed fromToken, address indexed toToken, uint256 fromAmount, uint256 toAmount, address from, address indexed to, address rebateTo)',
  swapWombat:
    'event Swap(address indexed sender, address fromToken, address toToken, uint256 fromAmount, uint256 toAmount, address indexed to)',
  swapGmx:
    'event Swap(address account, address tokenIn, address tokenOut, uint256 amountIn, uint256 amountOut, uint256 amountOutAfterFees, uint256 feeBasisPoints)',
  tradedBancorV3:
    'event TokensTraded(bytes32 indexed contextId, address indexed sourceToken, address indexed targetToken, uint256 sourceAmount, uint256 targetAmount, uint256 bntAmount, uint256 targetFeeAmount, uint256 bntFeeAmount, address trader)',
  tradedCarbon:
    'event TokensTraded(address indexed trader, address indexed sourceToken, address indexed targetToken, uint256 sourceAmount, uint256 targetAmount, uint128 tradingFeeAmount, bool byTargetAmount)',
  swappedMooniswap:
    'event Swapped(address indexed sender, address indexed receiver, address indexed srcToken, address dstToken, uint256 amount, uint256 result, uint256 srcAdditionBalance, uint256 dstAdditionBalance, address referral)',
  swappedMooniswapV1:
    'event Swapped(address indexed account, address indexed src, address indexed dst, uint256 amount, uint256 result, uint256 srcBalance, uint256 dstBalance, uint256 totalSupply, address referral)',
  sellGemMaker: 'event SellGem(address indexed owner, uint256 value, uint256 fee)',
  buyGemMaker: 'event BuyGem(address indexed owner, uint256 value, uint256 fee)',
  swappedMStable:
    'event Swapped(address indexed swapper, address input, address output, uint256 outputAmount, uint256 scaledFee, address recipient)',
  swappedMStableV1:
    'event Swapped(address indexed swapper, address input, address output, uint256 outputAmount, address recipient)',
  swapSparkPsm:
    'event Swap(address indexed assetIn, address indexed assetOut, address sender, address indexed receiver, uint256 amountIn, uint256 amountOut, uint256 referralCode)',
  swappedDefiPlaza:
    'event Swapped(address sender, address inputToken, address outputToken, uint256 inputAmount, uint256 outputAmount)',
  tradeKyberReserve:
    'event TradeExecute(address indexed origin, address src, uint256 srcAmount, address destToken, uint256 destAmount, address destAddress)',
  tradeKyberReserveV2:
    'event TradeExecute(address indexed origin, address indexed src, uint256 srcAmount, address indexed destToken, uint256 destAmount, address destAddress)',
  swapAlgebraIntegral:
    'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 price, uint128 liquidity, int24 tick, uint24 overrideFee, uint24 pluginFee)',
  burnAlgebraIntegral:
    'event Burn(address indexed owner, int24 indexed bottomTick, int24 indexed topTick, uint128 liquidityAmount, uint256 amount0, uint256 amount1, uint24 pluginFee)',
  swappedClipper:
    'event Swapped(address indexed inAsset, address indexed outAsset, address indexed recipient, uint256 inAmount, uint256 outAmount, bytes auxiliaryData)',
  swapTrident:
    'event Swap(address indexed recipient, address indexed tokenIn, address indexed tokenOut, uint256 amountIn, uint256 amountOut)',
  swapMento:
    'event Swap(address exchangeProvider, bytes32 indexed exchangeId, address indexed trader, address indexed tokenIn, address tokenOut, uint256 amountIn, uint256 amountOut)',
  conversionBancor:
    'event Conversion(address indexed _fromToken, address indexed _toToken, address indexed _trader, uint256 _amount, uint256 _return, int256 _conversionFee)',
  swapAmbient:
    'event CrocSwap(address indexed base, address indexed quote, uint256 poolIdx, bool isBuy, bool inBaseQty, uint128 qty, uint16 tip, uint128 limitPrice, uint128 minOut, uint8 reserveFlags, int128 baseFlow, int128 quoteFlow)',
  swapKyberClassic:
    'event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to, uint256 feeInPrecision)',
  swapEulerSwap:
    'event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, uint112 reserve0, uint112 reserve1, address indexed to)',
  swapEulerSwapV2:
    'event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, uint256 fee0, uint256 fee1, uint112 reserve0, uint112 reserve1, address indexed to)',
  swapSmarDex:
    'event Swap(address indexed sender, address indexed to, int256 amount0, int256 amount1)',
  swapIziSwap:
    'event Swap(address indexed tokenX, address indexed tokenY, uint24 indexed fee, bool sellXEarnY, uint256 amountX, uint256 amountY, int24 currentPoint)',
  swapMaverickV1:
    'event Swap(address sender, address recipient, bool tokenAIn, bool exactOutput, uint256 amountIn, uint256 amountOut, int32 activeTick)',
  sellBaseDodoV1:
    'event SellBaseToken(address indexed seller, uint256 payBase, uint256 receiveQuote)',
  buyBaseDodoV1: 'event BuyBaseToken(address indexed buyer, uint256 receiveBase, uint256 payQuote)',
  swapSaddle:
    'event TokenSwap(address indexed buyer, uint256 tokensSold, uint256 tokensBought, uint128 soldId, uint128 boughtId)',
  tokenPurchaseUniswapV1:
    'event TokenPurchase(address indexed buyer, uint256 indexed eth_sold, uint256 indexed tokens_bought)',
  ethPurchaseUniswapV1:
    'event EthPurchase(address indexed buyer, uint256 indexed tokens_sold, uint256 indexed eth_bought)',
  swapBalancerV1:
    'event LOG_SWAP(address indexed caller, address indexed tokenIn, address indexed tokenOut, uint256 tokenAmountIn, uint256 tokenAmountOut)',
  launchedPons:
    'event TokenLaunched(address indexed token, address indexed curve, address indexed deployer, address pairToken, uint256 launchConfigId, uint256 graduationThreshold)',
  buyPons:
    'event CurveBuy(address indexed buyer, address indexed recipient, uint256 quoteIn, uint256 tokensOut, uint256 fee, uint256 tax)',
  sellPons:
    'event CurveSell(address indexed seller, address indexed recipient, uint256 tokensIn, uint256 quoteOut, uint256 fee, uint256 tax)',
  createdBags:
    'event TokenCreated(address indexed token, address indexed creator, address indexed quoteAsset, address curve, address feeShare, address partner, bytes32 poolId, uint256 graduationThreshold, (uint16 buyFeeBps, uint16 sellFeeBps, uint16 protocolBuyFeeBps, uint16 protocolSellFeeBps) fees, uint16 partnerFeeBps, string name, string symbol, string metadataURI)',
  createdBagsV2:
    'event TokenCreated(address indexed token, address indexed curve, address indexed creator, address feeShare, address partner, bytes32 poolId, string name, string symbol, string metadataURI)',
  boughtBags:
    'event TokensBought(address indexed buyer, address indexed recipient, uint256 grossQuoteIn, uint256 netQuoteIn, uint256 tokensOut, uint256 feeQuote, uint256 vaultFeeQuote, uint256 creatorFeeQuote, uint256 refundQuote, uint256 price, uint256 virtualTokenReserves, uint256 virtualQuoteReserves)',
  soldBags:
    'event TokensSold(address indexed seller, address indexed recipient, uint256 tokensIn, uint256 grossQuoteOut, uint256 netQuoteToRecipient, uint256 feeQuote, uint256 vaultFeeQuote, uint256 creatorFeeQuote, uint256 price, uint256 virtualTokenReserves, uint256 virtualQuoteReserves)',
  migratedBags:
    'event Migrated(address indexed creator, address platformAdmin, address indexed token, uint256 lpQuote, uint256 lpTokens, bytes32 indexed poolId, uint160 sqrtPriceX96)',
  createFourMeme:
    'event TokenCreate(address creator, address token, uint256 requestId, string name, string symbol, uint256 totalSupply, uint256 launchTime, uint256 launchFee)',
  createFourMemeV1:
    'event TokenCreate(address creator, address token, uint256 requestId, string name, string symbol, uint256 totalSupply, uint256 launchTime)',
  purchaseFourMeme:
    'event TokenPurchase(address token, address account, uint256 price, uint256 amount, uint256 cost, uint256 fee, uint256 offers, uint256 funds)',
  saleFourMeme:
    'event TokenSale(address token, address account, uint256 price, uint256 amount, uint256 cost, uint256 fee, uint256 offers, uint256 funds)',
  purchaseFourMemeV1:
    'event TokenPurchase(address token, address account, uint256 tokenAmount, uint256 etherAmount)',
  saleFourMemeV1:
    'event TokenSale(address token, address account, uint256 tokenAmount, uint256 etherAmount)',
  purchaseFourMemeV1Fee:
    'event TokenPurchase(address token, address account, uint256 tokenAmount, uint256 etherAmount, uint256 fee)',
  saleFourMemeV1Fee:
    'event TokenSale(address token, address account, uint256 tokenAmount, uint256 etherAmount, uint256 fee)',
  liquidityAddedFourMeme:
    'event LiquidityAdded(address base, uint256 offers, address quote, uint256 funds)',
  createFlap:
    'event TokenCreated(uint256 ts, address creator, uint256 nonce, address token, string name, string symbol, string meta)',
  boughtFlap:
    'event TokenBought(uint256 ts, address token, address buyer, uint256 amount, uint256 eth, uint256 fee, uint256 postPrice)',
  soldFlap:
    'event TokenSold(uint256 ts, address token, address seller, uint256 amount, uint256 eth, uint256 fee, uint256 postPrice)',
  launchedFlap: 'event LaunchedToDEX(address token, address pool, uint256 amount, uint256 eth)',
  curveSetFlap: 'event TokenCurveSetV2(address token, uint256 r, uint256 h, uint256 k)',
  quoteSetFlap: 'event TokenQuoteSet(address token, address quoteToken)',
  progressFlap: 'event FlapTokenProgressChanged(address token, uint256 newProgress)',
  supplyFlap: 'event FlapTokenCirculatingSupplyChanged(address token, uint256 newSupply)',
  poolCreatedFlap:
    'event FlapTokenCLPoolCreated(address token, bytes32 poolId, uint160 sqrtPriceX96)',
  createNadFun:
    'event CurveCreate(address indexed creator, address indexed token, address indexed pool, string name, string symbol, string tokenURI, uint256 virtualMon, uint256 virtualToken, uint256 targetTokenAmount)',
  buyNadFun:
    'event CurveBuy(address indexed sender, address indexed token, uint256 amountIn, uint256 amountOut)',
  sellNadFun:
    'event CurveSell(address indexed sender, address indexed token, uint256 amountIn, uint256 amountOut)',
  graduateNadFun: 'event CurveGraduate(address indexed token, address indexed pool)',
  swapVirtuals:
    'event Swap(uint256 amount0In, uint256 amount0Out, uint256 amount1In, uint256 amount1Out)',
  launchedVirtuals: 'event Launched(address indexed token, address indexed pair, uint256 count)',
  launchedVirtualsV2:
    'event Launched(address indexed token, address indexed pair, uint256 virtualId, uint256 initialPurchase, uint256 initialPurchasedAmount)',
  launchedVirtualsV5:
    'event Launched(address indexed token, address indexed pair, uint256 virtualId, uint256 initialPurchase, uint256 initialPurchasedAmount, (uint8 launchMode, uint16 airdropBips, bool needAcf, uint8 antiSniperTaxType, bool isProject60days) launchParams)',
  preLaunchedVirtuals:
    'event PreLaunched(address indexed token, address indexed pair, uint256 virtualId, uint256 initialPurchase)',
  preLaunchedVirtualsV5:
    'event PreLaunched(address indexed token, address indexed pair, uint256 virtualId, uint256 initialPurchase, (uint8 launchMode, uint16 airdropBips, bool needAcf, uint8 antiSniperTaxType, bool isProject60days) launchParams)',
  graduatedVirtuals: 'event Graduated(address indexed token, address agentToken)',
  createClankerV4:
    'event TokenCreated(address msgSender, address indexed tokenAddress, address indexed tokenAdmin, string tokenImage, string tokenName, string tokenSymbol, string tokenMetadata, string tokenContext, int24 startingTick, address poolHook, bytes32 poolId, address pairedToken, address locker, address mevModule, uint256 extensionsSupply, address[] extensions)',
  createClankerV3:
    'event TokenCreated(address indexed tokenAddress, address indexed creatorAdmin, address indexed interfaceAdmin, address creatorRewardRecipient, address interfaceRewardRecipient, uint256 positionId, string name, string symbol, int24 startingTickIfToken0IsNewToken, string metadata, uint256 amountTokensBought, uint256 vaultDuration, uint8 vaultPercentage, address msgSender)',
  createZora:
    'event CoinCreated(address indexed caller, address indexed payoutRecipient, address indexed platformReferrer, address currency, string uri, string name, string symbol, address coin, address pool, string version)',
  createZoraV4:
    'event CoinCreatedV4(address indexed caller, address indexed payoutRecipient, address indexed platformReferrer, address currency, string uri, string name, string symbol, address coin, (address currency0, address currency1, uint24 fee, int24 tickSpacing, address hooks) poolKey, bytes32 poolKeyHash, string version)',
  createZoraCreator:
    'event CreatorCoinCreated(address indexed caller, address indexed payoutRecipient, address indexed platformReferrer, address currency, string uri, string name, string symbol, address coin, (address currency0, address currency1, uint24 fee, int24 tickSpacing, address hooks) poolKey, bytes32 poolKeyHash, string version)',
  createZoraTrend:
    'event TrendCoinCreated(address indexed caller, string symbol, address coin, (address currency0, address currency1, uint24 fee, int24 tickSpacing, address hooks) poolKey, bytes32 poolKeyHash, bytes poolConfig, string version)',
  tradeCow:
    'event Trade(address indexed owner, address sellToken, address buyToken, uint256 sellAmount, uint256 buyAmount, uint256 feeAmount, bytes orderUid)',
  fillUniswapX:
    'event Fill(bytes32 indexed orderHash, address indexed filler, address indexed swapper, uint256 nonce)',
  userOperation:
    'event UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)',
} as const
