import type { LogDecoder } from './decoding/blockScope.ts'
import { namedTradeDecoder } from './decoding/namedTrade.ts'
import type { EvmVenue } from './venue.ts'

// Venues whose events name both tokens of a trade, and whose contracts do not say which tokens they have under any view that
// is asked here: their swaps are told, and no pair is made of them.

const kind = 'concentrated'

/** WooFi: one pool of many tokens at the prices of an oracle. */
export const wooFi: EvmVenue = {
  name: 'wooFi',
  kind,
  events: {
    // WooSwap(address indexed fromToken, address indexed toToken, uint256 fromAmount, uint256 toAmount, address from,
    // address indexed to, address rebateTo, uint256 swapVol, uint256 swapFee)
    '0x0e8e403c2d36126272b08c75823e988381d9dc47f2f0a9a080d95f891d95c469': namedTradeDecoder({
      topics: 4,
      words: 6,
      tokenIn: { topic: 1 },
      tokenOut: { topic: 2 },
      amountIn: 0,
      amountOut: 1,
      sender: { word: 2 },
      to: { topic: 3 },
    }),
    // The same of its first version, without the last two.
    '0x74ef34e2ea7c5d9f7b7ed44e97ad44b4303416c3a660c3fb5b3bdb95a1d6abd3': namedTradeDecoder({
      topics: 4,
      words: 4,
      tokenIn: { topic: 1 },
      tokenOut: { topic: 2 },
      amountIn: 0,
      amountOut: 1,
      sender: { word: 2 },
      to: { topic: 3 },
    }),
  },
}

/** Balancer V1, and forks of it: each pool holds its own tokens, up to eight. They are all but empty. */
export const balancerV1: EvmVenue = {
  name: 'balancerV1',
  kind,
  events: {
    // LOG_SWAP(address indexed caller, address indexed tokenIn, address indexed tokenOut, uint256 tokenAmountIn,
    // uint256 tokenAmountOut)
    '0x908fb5ee8f16c6bc9bc3690973819f32a4d4b10188134543c88706e0e1d43378': namedTradeDecoder({
      topics: 4,
      words: 2,
      tokenIn: { topic: 2 },
      tokenOut: { topic: 3 },
      amountIn: 0,
      amountOut: 1,
      sender: { topic: 1 },
    }),
  },
}

/** Wombat and Platypus: one pool of many tokens of the same worth. */
export const wombat: EvmVenue = {
  name: 'wombat',
  kind,
  events: {
    // Swap(address indexed sender, address fromToken, address toToken, uint256 fromAmount, uint256 toAmount,
    // address indexed to)
    '0x54787c404bb33c88e86f4baf88183a3b0141d0a848e6a9f7a13b66ae3a9b73d1': namedTradeDecoder({
      topics: 3,
      words: 4,
      tokenIn: { word: 0 },
      tokenOut: { word: 1 },
      amountIn: 2,
      amountOut: 3,
      sender: { topic: 1 },
      to: { topic: 2 },
    }),
  },
}

/** GMX and its forks: a vault at the prices of an oracle. Its event has the hash of Balancer V3's, and no topic beside it. */
export const gmx: EvmVenue = {
  name: 'gmx',
  kind,
  events: {
    // Swap(address account, address tokenIn, address tokenOut, uint256 amountIn, uint256 amountOut,
    // uint256 amountOutAfterFees, uint256 feeBasisPoints)
    '0x0874b2d545cb271cdbda4e093020c452328b24af12382ed62c4d00f5c26709db': namedTradeDecoder({
      topics: 1,
      words: 7,
      tokenIn: { word: 1 },
      tokenOut: { word: 2 },
      amountIn: 3,
      amountOut: 5,
      sender: { word: 0 },
    }),
  },
}

/** Bancor V3, and Carbon by the same makers: one contract keeps what all trade with. */
export const bancor: EvmVenue = {
  name: 'bancor',
  kind,
  events: {
    // TokensTraded(bytes32 indexed contextId, address indexed sourceToken, address indexed targetToken, uint256 sourceAmount,
    // uint256 targetAmount, uint256 bntAmount, uint256 targetFeeAmount, uint256 bntFeeAmount, address trader)
    '0x5c02c2bb2d1d082317eb23916ca27b3e7c294398b60061a2ad54f1c3c018c318': namedTradeDecoder({
      topics: 4,
      words: 6,
      tokenIn: { topic: 2 },
      tokenOut: { topic: 3 },
      amountIn: 0,
      amountOut: 1,
      sender: { word: 5 },
    }),
    // TokensTraded(address indexed trader, address indexed sourceToken, address indexed targetToken, uint256 sourceAmount,
    // uint256 targetAmount, uint128 tradingFeeAmount, bool byTargetAmount)
    '0x95f3b01351225fea0e69a46f68b164c9dea10284f12cd4a907ce66510ab7af6a': namedTradeDecoder({
      topics: 4,
      words: 4,
      tokenIn: { topic: 2 },
      tokenOut: { topic: 3 },
      amountIn: 0,
      amountOut: 1,
      sender: { topic: 1 },
    }),
  },
}

/** Mooniswap of 1inch. The native coin is the zero address. */
export const mooniswap: EvmVenue = {
  name: 'mooniswap',
  kind,
  events: {
    // Swapped(address indexed account, address indexed src, address indexed dst, uint256 amount, uint256 result,
    // uint256 srcBalance, uint256 dstBalance, uint256 totalSupply, address referral), of version 1.0
    '0x86c49b5d8577da08444947f1427d23ef191cfabf2c0788f93324d79e926a9302': namedTradeDecoder({
      topics: 4,
      words: 6,
      tokenIn: { topic: 2 },
      tokenOut: { topic: 3 },
      amountIn: 0,
      amountOut: 1,
      sender: { topic: 1 },
    }),
    // Swapped(address indexed sender, address indexed receiver, address indexed srcToken, address dstToken, uint256 amount,
    // uint256 result, uint256 srcAdditionBalance, uint256 dstAdditionBalance, address referral)
    '0xbd99c6719f088aa0abd9e7b7a4a635d1f931601e9f304b538dc42be25d8c65c6': namedTradeDecoder({
      topics: 4,
      words: 6,
      tokenIn: { topic: 3 },
      tokenOut: { word: 0 },
      amountIn: 1,
      amountOut: 2,
      sender: { topic: 1 },
      to: { topic: 2 },
    }),
  },
}

/** Clipper: one pool of a few tokens at prices that are signed for each trade. */
export const clipper: EvmVenue = {
  name: 'clipper',
  kind,
  events: {
    // Swapped(address indexed inAsset, address indexed outAsset, address indexed recipient, uint256 inAmount,
    // uint256 outAmount, bytes auxiliaryData)
    '0x4be05c8d54f5e056ab2cfa033e9f582057001268c3e28561bb999d35d2c8f2c8': namedTradeDecoder({
      topics: 4,
      words: 3,
      tokenIn: { topic: 1 },
      tokenOut: { topic: 2 },
      amountIn: 0,
      amountOut: 1,
      sender: { topic: 3 },
    }),
  },
}

/** Sushi's Trident: pools of several kinds, whose tokens lie in a vault. */
export const trident: EvmVenue = {
  name: 'trident',
  kind,
  events: {
    // Swap(address indexed recipient, address indexed tokenIn, address indexed tokenOut, uint256 amountIn,
    // uint256 amountOut). GMX's router writes one of the same hash without these topics, beside its vault's.
    '0xcd3829a3813dc3cdd188fd3d01dcf3268c16be2fdd2dd21d0665418816e46062': namedTradeDecoder({
      topics: 4,
      words: 2,
      tokenIn: { topic: 2 },
      tokenOut: { topic: 3 },
      amountIn: 0,
      amountOut: 1,
      sender: { topic: 1 },
    }),
  },
}

/** Mento: a broker mints and burns currencies at the prices of an oracle. */
export const mento: EvmVenue = {
  name: 'mento',
  kind,
  events: {
    // Swap(address exchangeProvider, bytes32 indexed exchangeId, address indexed trader, address indexed tokenIn,
    // address tokenOut, uint256 amountIn, uint256 amountOut)
    '0xe7b046415cac9de47940c3087e06db13a0e058ccf53ac5f0edd49ebb4c2c3a6f': namedTradeDecoder({
      topics: 4,
      words: 4,
      tokenIn: { topic: 3 },
      tokenOut: { word: 1 },
      amountIn: 2,
      amountOut: 3,
      sender: { topic: 2 },
    }),
  },
}

/** Bancor V2 and what came before: each converter has reserves of its own. Its network's event tells a route's ends again. */
export const bancorV2: EvmVenue = {
  name: 'bancorV2',
  kind,
  events: {
    // Conversion(address indexed _fromToken, address indexed _toToken, address indexed _trader, uint256 _amount,
    // uint256 _return, int256 _conversionFee)
    '0x276856b36cbc45526a0ba64f44611557a2a8b68662c5388e9fe6d72e86e1c8cb': namedTradeDecoder({
      topics: 4,
      words: 3,
      tokenIn: { topic: 1 },
      tokenOut: { topic: 2 },
      amountIn: 0,
      amountOut: 1,
      sender: { topic: 3 },
    }),
  },
}

/** PSM3 of Spark: one pool of USDC, USDS and sUSDS at fixed rates. */
export const sparkPsm: EvmVenue = {
  name: 'sparkPsm',
  kind,
  events: {
    // Swap(address indexed assetIn, address indexed assetOut, address sender, address indexed receiver, uint256 amountIn,
    // uint256 amountOut, uint256 referralCode)
    '0xdba43ee9916cb156cc32a5d3406e87341e568126a46815294073ba25c9400246': namedTradeDecoder({
      topics: 4,
      words: 4,
      tokenIn: { topic: 1 },
      tokenOut: { topic: 2 },
      amountIn: 1,
      amountOut: 2,
      sender: { word: 0 },
      to: { topic: 3 },
    }),
  },
}

export const defiPlazaPool = '0xe68c1d72340aeefe5be76eda63ae2f4bc7514110'
const decodeDefiPlaza = namedTradeDecoder({
  topics: 1,
  words: 5,
  tokenIn: { word: 1 },
  tokenOut: { word: 2 },
  amountIn: 3,
  amountOut: 4,
  sender: { word: 0 },
})

/** DefiPlaza: one pool of 16 tokens. The native coin is the zero address. */
export const defiPlaza: EvmVenue = {
  name: 'defiPlaza',
  kind,
  events: {
    // Swapped(address sender, address inputToken, address outputToken, uint256 inputAmount, uint256 outputAmount).
    // Routers write events of this form, too: only the pool is read.
    '0x6782190c91d4a7e8ad2a867deed6ec0a970cab8ff137ae2bd4abd92b3810f4d3': (log, scope) =>
      log.address !== defiPlazaPool || decodeDefiPlaza(log, scope),
  },
}

/** The words of a trade with a Kyber reserve; the tokens are topics in the newer form. */
const kyberTrade = {
  older: {
    ...{ topics: 2, words: 5, tokenIn: { word: 0 }, amountIn: 1, tokenOut: { word: 2 } },
    ...{ amountOut: 3, sender: { topic: 1 }, to: { word: 4 } },
  },
  newer: {
    ...{ topics: 4, words: 3, tokenIn: { topic: 2 }, amountIn: 0, tokenOut: { topic: 3 } },
    ...{ amountOut: 1, sender: { topic: 1 }, to: { word: 2 } },
  },
}
const [decodeOlderKyber, decodeNewerKyber] = [kyberTrade.older, kyberTrade.newer].map(
  namedTradeDecoder,
) as [LogDecoder, LogDecoder]

/** Reserves of Kyber Network: each trades its own tokens for the native coin, at prices of its maker. */
export const kyberReserve: EvmVenue = {
  name: 'kyberReserve',
  kind,
  events: {
    // TradeExecute(address indexed origin, address src, uint256 srcAmount, address destToken, uint256 destAmount,
    // address destAddress); src and destToken are indexed in the newer reserves.
    '0xea9415385bae08fe9f6dc457b02577166790cde83bb18cc340aac6cb81b824de': (log, scope) =>
      log.topics.length === 2 ? decodeOlderKyber(log, scope) : decodeNewerKyber(log, scope),
  },
}
