import type { EvmLog } from '../../../model/evm/evmBlock.ts'
import { nativeToken } from '../../../model/pool.ts'
import type { BlockScope, LogDecoder } from '../decoding/blockScope.ts'
import { orNative, pushLaunch } from '../decoding/curveEvents.ts'
import { dataLength, readAddress, readAddressTopic, readUint } from '../decoding/hexWords.ts'
import { ratioOf, swapEvent } from '../decoding/poolEvents.ts'
import type { EvmVenue } from '../venue.ts'

// Platforms whose curves are contracts of their own, one for each token. A trade names neither the
// token nor the platform, so a curve is known by its launch, which the platform's factory reports.

type CurveTrade = {
  isBuy: boolean
  tokenAmount: bigint
  /** Amount that the trader paid or got, after fees. */
  quoteAmount: bigint
  /** Raw quote per raw token. */
  priceRaw: number | null
}

/** `trader` and `recipient` are the two indexed arguments. */
function tradeDecoder(words: number, read: (data: string) => CurveTrade): LogDecoder {
  return (log, scope) => {
    if (log.topics.length !== 3 || log.data.length < dataLength(words)) return false
    const trader = scope.addresses.ofTopic(log.topics[1]!)
    const recipient = scope.addresses.ofTopic(log.topics[2]!)
    if (trader === null || recipient === null) return false
    const { isBuy, tokenAmount, quoteAmount, priceRaw } = read(log.data)
    const amount0 = isBuy ? -tokenAmount : tokenAmount
    const amount1 = isBuy ? quoteAmount : -quoteAmount
    scope.push(swapEvent(log, scope, { sender: trader, to: recipient, amount0, amount1, priceRaw }))
    return true
  }
}

/** Ends a curve in a pool. Its reserves become zero, or they would count twice. */
function pushCurveEnd(log: EvmLog, scope: BlockScope, pool: string): void {
  const { logIndex: index, transactionHash: txHash, address: curve } = log
  const wallet = scope.walletOr(curve)
  const { venues } = scope
  const empty = { reserve0: 0n, reserve1: 0n, priceRaw: null }
  scope.push({ type: 'graduation', index, txHash, wallet, curve, pool })
  scope.push({ type: 'sync', index, txHash, wallet, pool: curve, ...empty, venues })
}

const decodePonsLaunch: LogDecoder = (log, scope) => {
  if (log.topics.length !== 4 || log.data.length < dataLength(3)) return false
  const [token, pool, creator] = log.topics.slice(1).map((topic) => scope.addresses.ofTopic(topic))
  const quote = readAddress(log.data, 0)
  if (!token || !pool || !creator || quote === null) return false
  pushLaunch(log, scope, { token, quote: orNative(quote), creator, pool })
  return true
}

/** Fee and tax are part of a buyer's payment, and were taken from a seller's proceeds. */
const ponsTrade = (isBuy: boolean) =>
  tradeDecoder(4, (data) => {
    const [into, out] = [readUint(data, 0), readUint(data, 1)]
    const [quoteAmount, tokenAmount] = isBuy ? [into, out] : [out, into]
    const fees = readUint(data, 2) + readUint(data, 3)
    const traded = isBuy ? quoteAmount - fees : quoteAmount + fees
    return { isBuy, tokenAmount, quoteAmount, priceRaw: ratioOf(traded, tokenAmount) }
  })

/**
 * Pons, second version: curves in the native coin or another token. Its graduation is not decoded:
 * the event with the pool's liquidity names no curve, and comes in a later transaction than the
 * curve's end.
 */
export const pons: EvmVenue = {
  name: 'pons',
  kind: 'curve',
  events: {
    // TokenLaunched(address indexed token, address indexed curve, address indexed deployer, address
    // pairToken, uint256 launchConfigId, uint256 graduationThreshold)
    '0x8d4aad4953d0ca700d468f3753aa14432d1b35b43ec6409f051fb6aa43a89607': decodePonsLaunch,
    // CurveBuy(address indexed buyer, address indexed recipient, uint256 quoteIn, uint256
    // tokensOut, uint256 fee, uint256 tax)
    '0xec36bf571f136799e8dc0b0b8bea4b04d8bd3d43de838aab0d5fc21d4cbfc455': ponsTrade(true),
    // CurveSell(address indexed seller, address indexed recipient, uint256 tokensIn, uint256
    // quoteOut, uint256 fee, uint256 tax)
    '0x8113d738abdcb6b38357e9d53a54a7157861a09031b453651f0fe7fe151f59df': ponsTrade(false),
  },
}

const decodeBagsLaunch: LogDecoder = (log, scope) => {
  if (log.topics.length !== 4 || log.data.length < dataLength(13)) return false
  const [token, creator] = log.topics.slice(1, 3).map((topic) => scope.addresses.ofTopic(topic))
  const quote = readAddressTopic(log.topics[3]!)
  const pool = readAddress(log.data, 0)
  if (!token || !creator || !quote || pool === null) return false
  pushLaunch(log, scope, { token, quote: orNative(quote), creator, pool })
  return true
}

/** The second version only supports the native coin. */
const decodeBagsNativeLaunch: LogDecoder = (log, scope) => {
  if (log.topics.length !== 4 || log.data.length < dataLength(6)) return false
  const [token, pool, creator] = log.topics.slice(1).map((topic) => scope.addresses.ofTopic(topic))
  if (!token || !pool || !creator) return false
  pushLaunch(log, scope, { token, quote: nativeToken, creator, pool })
  return true
}

const bagsBuy = tradeDecoder(10, (data) => ({
  isBuy: true,
  tokenAmount: readUint(data, 2),
  quoteAmount: readUint(data, 1) + readUint(data, 3),
  priceRaw: ratioOf(readUint(data, 9), readUint(data, 8)),
}))

const bagsSell = tradeDecoder(9, (data) => ({
  isBuy: false,
  tokenAmount: readUint(data, 0),
  quoteAmount: readUint(data, 2),
  priceRaw: ratioOf(readUint(data, 8), readUint(data, 7)),
}))

const decodeMigrated: LogDecoder = (log, scope) => {
  if (log.topics.length !== 4 || log.data.length < dataLength(4)) return false
  pushCurveEnd(log, scope, log.topics[3]!)
  return true
}

/**
 * Bags on Robinhood Chain, second and third version: curves in the native coin or another token.
 * Its trades report virtual reserves, which give the price.
 */
export const bags: EvmVenue = {
  name: 'bags',
  kind: 'curve',
  events: {
    // TokenCreated(address indexed token, address indexed creator, address indexed quoteAsset,
    // address curve, ...)
    '0x7abc18474707e0197bbf0490f17efabb6cb1080b3aad906fc0e33d533b3f30b9': decodeBagsLaunch,
    // TokenCreated(address indexed token, address indexed curve, address indexed creator, address
    // feeShare, address partner, bytes32 poolId, string name, string symbol, string metadataURI)
    '0x643b3b606052cbadac2f906ad0b462da99eda2a1d4f824d315d7f6edd3e4cced': decodeBagsNativeLaunch,
    // TokensBought(address indexed buyer, address indexed recipient, uint256 grossQuoteIn, uint256
    // netQuoteIn, uint256 tokensOut, uint256 feeQuote, uint256 vaultFeeQuote, uint256
    // creatorFeeQuote, uint256 refundQuote, uint256 price, uint256 virtualTokenReserves, uint256
    // virtualQuoteReserves)
    '0x6d9c6fad0db13f6f7fca7124777996deaeb1949d0750a4874c18611ff5d436b9': bagsBuy,
    // TokensSold(address indexed seller, address indexed recipient, uint256 tokensIn, uint256
    // grossQuoteOut, uint256 netQuoteToRecipient, uint256 feeQuote, uint256 vaultFeeQuote, uint256
    // creatorFeeQuote, uint256 price, uint256 virtualTokenReserves, uint256 virtualQuoteReserves)
    '0x813ea2e4b7710a4562c34494d61d6e80fd2ba5105790f740fdcbf64f8b05b80d': bagsSell,
    // Migrated(address indexed creator, address platformAdmin, address indexed token, uint256
    // lpQuote, uint256 lpTokens, bytes32 indexed poolId, uint160 sqrtPriceX96)
    '0x184d2c0f181283dda427e7607f9f42c0c50de3c6aa3fdee4602f68fde61751cb': decodeMigrated,
  },
}
