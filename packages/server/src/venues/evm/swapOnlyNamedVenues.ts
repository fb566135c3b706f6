import type { LogDecoder } from './decoding/blockScope.ts'
import { namedTrade } from './decoding/namedTrade.ts'
import type { EvmVenue } from './venue.ts'

// Venues whose events name both tokens of a trade, and whose contracts have no view of their tokens
// that is asked here. Their swaps are decoded, but they get no pairs.

const kind = 'concentrated'

/** WooFi: one pool of many tokens at oracle prices. */
export const wooFi: EvmVenue = {
  name: 'wooFi',
  kind,
  events: {
    ...namedTrade(
      'WooSwap(address indexed fromToken, address indexed toToken, uint256 fromAmount, ' +
        'uint256 toAmount, address from, address indexed to, address rebateTo, uint256 swapVol, ' +
        'uint256 swapFee)',
      {
        sold: ['fromToken', 'fromAmount'],
        bought: ['toToken', 'toAmount'],
        sender: 'from',
        to: 'to',
      },
    ),
    // The first version.
    ...namedTrade(
      'WooSwap(address indexed fromToken, address indexed toToken, uint256 fromAmount, ' +
        'uint256 toAmount, address from, address indexed to, address rebateTo)',
      {
        sold: ['fromToken', 'fromAmount'],
        bought: ['toToken', 'toAmount'],
        sender: 'from',
        to: 'to',
      },
    ),
  },
}

/**
 * Balancer V1 and its forks: each pool holds its own tokens, up to eight. They are almost empty.
 */
export const balancerV1: EvmVenue = {
  name: 'balancerV1',
  kind,
  events: namedTrade(
    'LOG_SWAP(address indexed caller, address indexed tokenIn, address indexed tokenOut, ' +
      'uint256 tokenAmountIn, uint256 tokenAmountOut)',
    {
      sold: ['tokenIn', 'tokenAmountIn'],
      bought: ['tokenOut', 'tokenAmountOut'],
      sender: 'caller',
    },
  ),
}

/** Wombat and Platypus: one pool of many tokens of equal worth. */
export const wombat: EvmVenue = {
  name: 'wombat',
  kind,
  events: namedTrade(
    'Swap(address indexed sender, address fromToken, address toToken, uint256 fromAmount, ' +
      'uint256 toAmount, address indexed to)',
    {
      sold: ['fromToken', 'fromAmount'],
      bought: ['toToken', 'toAmount'],
      sender: 'sender',
      to: 'to',
    },
  ),
}

/**
 * GMX and its forks: a vault at oracle prices. Its event has the hash of Balancer V3's, but no
 * further topic.
 */
export const gmx: EvmVenue = {
  name: 'gmx',
  kind,
  events: namedTrade(
    'Swap(address account, address tokenIn, address tokenOut, uint256 amountIn, ' +
      'uint256 amountOut, uint256 amountOutAfterFees, uint256 feeBasisPoints)',
    {
      sold: ['tokenIn', 'amountIn'],
      bought: ['tokenOut', 'amountOutAfterFees'],
      sender: 'account',
    },
  ),
}

/** Bancor V3, and Carbon by the same makers: one contract keeps all tokens. */
export const bancor: EvmVenue = {
  name: 'bancor',
  kind,
  events: {
    ...namedTrade(
      'TokensTraded(bytes32 indexed contextId, address indexed sourceToken, ' +
        'address indexed targetToken, uint256 sourceAmount, uint256 targetAmount, ' +
        'uint256 bntAmount, uint256 targetFeeAmount, uint256 bntFeeAmount, address trader)',
      {
        sold: ['sourceToken', 'sourceAmount'],
        bought: ['targetToken', 'targetAmount'],
        sender: 'trader',
      },
    ),
    ...namedTrade(
      'TokensTraded(address indexed trader, address indexed sourceToken, ' +
        'address indexed targetToken, uint256 sourceAmount, uint256 targetAmount, ' +
        'uint128 tradingFeeAmount, bool byTargetAmount)',
      {
        sold: ['sourceToken', 'sourceAmount'],
        bought: ['targetToken', 'targetAmount'],
        sender: 'trader',
      },
    ),
  },
}

/** Mooniswap of 1inch. The native coin is the zero address. */
export const mooniswap: EvmVenue = {
  name: 'mooniswap',
  kind,
  events: {
    // Version 1.0.
    ...namedTrade(
      'Swapped(address indexed account, address indexed src, address indexed dst, ' +
        'uint256 amount, uint256 result, uint256 srcBalance, uint256 dstBalance, ' +
        'uint256 totalSupply, address referral)',
      {
        sold: ['src', 'amount'],
        bought: ['dst', 'result'],
        sender: 'account',
      },
    ),
    ...namedTrade(
      'Swapped(address indexed sender, address indexed receiver, address indexed srcToken, ' +
        'address dstToken, uint256 amount, uint256 result, uint256 srcAdditionBalance, ' +
        'uint256 dstAdditionBalance, address referral)',
      {
        sold: ['srcToken', 'amount'],
        bought: ['dstToken', 'result'],
        sender: 'sender',
        to: 'receiver',
      },
    ),
  },
}

/** Clipper: one pool of a few tokens at prices that are signed for each trade. */
export const clipper: EvmVenue = {
  name: 'clipper',
  kind,
  events: namedTrade(
    'Swapped(address indexed inAsset, address indexed outAsset, address indexed recipient, ' +
      'uint256 inAmount, uint256 outAmount, bytes auxiliaryData)',
    {
      sold: ['inAsset', 'inAmount'],
      bought: ['outAsset', 'outAmount'],
      sender: 'recipient',
    },
  ),
}

/** Sushi's Trident: pools of several kinds, whose tokens are in a vault. */
export const trident: EvmVenue = {
  name: 'trident',
  kind,
  events: {
    // GMX's router emits an event of the same hash without these topics, beside its vault's.
    ...namedTrade(
      'Swap(address indexed recipient, address indexed tokenIn, address indexed tokenOut, ' +
        'uint256 amountIn, uint256 amountOut)',
      {
        sold: ['tokenIn', 'amountIn'],
        bought: ['tokenOut', 'amountOut'],
        sender: 'recipient',
      },
    ),
  },
}

/** Mento: a broker mints and burns currencies at oracle prices. */
export const mento: EvmVenue = {
  name: 'mento',
  kind,
  events: namedTrade(
    'Swap(address exchangeProvider, bytes32 indexed exchangeId, address indexed trader, ' +
      'address indexed tokenIn, address tokenOut, uint256 amountIn, uint256 amountOut)',
    {
      sold: ['tokenIn', 'amountIn'],
      bought: ['tokenOut', 'amountOut'],
      sender: 'trader',
    },
  ),
}

/**
 * Bancor V2 and earlier: each converter has reserves of its own. The network's event repeats the
 * ends of a route and is not decoded.
 */
export const bancorV2: EvmVenue = {
  name: 'bancorV2',
  kind,
  events: namedTrade(
    'Conversion(address indexed _fromToken, address indexed _toToken, address indexed _trader, ' +
      'uint256 _amount, uint256 _return, int256 _conversionFee)',
    {
      sold: ['_fromToken', '_amount'],
      bought: ['_toToken', '_return'],
      sender: '_trader',
    },
  ),
}

/** PSM3 of Spark: one pool of USDC, USDS and sUSDS at fixed rates. */
export const sparkPsm: EvmVenue = {
  name: 'sparkPsm',
  kind,
  events: namedTrade(
    'Swap(address indexed assetIn, address indexed assetOut, address sender, ' +
      'address indexed receiver, uint256 amountIn, uint256 amountOut, uint256 referralCode)',
    {
      sold: ['assetIn', 'amountIn'],
      bought: ['assetOut', 'amountOut'],
      sender: 'sender',
      to: 'receiver',
    },
  ),
}

export const defiPlazaPool = '0xe68c1d72340aeefe5be76eda63ae2f4bc7514110'

/** DefiPlaza: one pool of 16 tokens. The native coin is the zero address. */
export const defiPlaza: EvmVenue = {
  name: 'defiPlaza',
  kind,
  // Routers emit events of this form, too.
  events: namedTrade(
    'Swapped(address sender, address inputToken, address outputToken, uint256 inputAmount, ' +
      'uint256 outputAmount)',
    {
      sold: ['inputToken', 'inputAmount'],
      bought: ['outputToken', 'outputAmount'],
      sender: 'sender',
      contract: defiPlazaPool,
    },
  ),
}

const kyberTrade = {
  sold: ['src', 'srcAmount'],
  bought: ['destToken', 'destAmount'],
  sender: 'origin',
  to: 'destAddress',
} as const
const [[kyberTopic, decodeOlderKyber], [, decodeNewerKyber]] = [
  'TradeExecute(address indexed origin, address src, uint256 srcAmount, address destToken, ' +
    'uint256 destAmount, address destAddress)',
  'TradeExecute(address indexed origin, address indexed src, uint256 srcAmount, ' +
    'address indexed destToken, uint256 destAmount, address destAddress)',
].map((abi) => Object.entries(namedTrade(abi, kyberTrade))[0]!) as [
  [string, LogDecoder],
  [string, LogDecoder],
]

/**
 * Reserves of Kyber Network: each trades its own tokens for the native coin, at its owner's prices.
 */
export const kyberReserve: EvmVenue = {
  name: 'kyberReserve',
  kind,
  // In newer reserves the tokens are topics; the hash is the same.
  events: {
    [kyberTopic]: (log, scope) => decodeOlderKyber(log, scope) || decodeNewerKyber(log, scope),
  },
}
