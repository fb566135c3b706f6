import { nativeToken } from '../../../model/pool.ts'
import type { LogDecoder } from '../decoding/blockScope.ts'
import {
  orNative,
  ppmOf,
  pushCurveTrade,
  pushGraduation,
  pushLaunch,
} from '../decoding/curveEvents.ts'
import { dataLength, readAddress, readUint } from '../decoding/hexWords.ts'
import { ratioOf } from '../decoding/poolEvents.ts'
import { paymentTokenOf, poolWithFirstLiquidity } from '../decoding/transactionFacts.ts'
import type { EvmVenue } from '../venue.ts'

// The part of every token's supply, a billion, that the curve sells.
const tokensForSale = 800_000_000n * 10n ** 18n
/** Prices are per whole token, which has 18 decimals. */
const priceUnit = 10n ** 18n
const purchaseTopic = '0x7db52723a3b2cdd6164364b3b766e65e540d7be48ffa89582956d8eaebe62942'

/**
 * The event does not name the quote. A first purchase in the same transaction shows it; a later one
 * in another token gets a curve of its own.
 */
const decodeTokenCreate: LogDecoder = (log, scope) => {
  if (log.topics.length !== 1 || log.data.length < dataLength(7)) return false
  const creator = readAddress(log.data, 0)
  const token = readAddress(log.data, 1)
  if (creator === null || token === null) return false
  const purchase = scope
    .transactionLogs()
    .find(
      ({ address, topics, data }) =>
        address === log.address && topics[0] === purchaseTopic && readAddress(data, 0) === token,
    )
  const isTold = purchase !== undefined && purchase.data.length >= dataLength(8)
  const amounts = isTold ? amountsPaid(purchase.data) : []
  const quote = paymentTokenOf(scope, { platform: log.address, token, isBuy: true, amounts })
  pushLaunch(log, scope, { token, quote, creator })
  return true
}

/** The cost with and without the fee. */
function amountsPaid(data: string): bigint[] {
  const [cost, fee] = [readUint(data, 4), readUint(data, 5)]
  return [cost, cost + fee, cost - fee]
}

function tradeDecoder(isBuy: boolean): LogDecoder {
  return (log, scope) => {
    if (log.topics.length !== 1 || log.data.length < dataLength(8)) return false
    const { address: platform, data } = log
    const token = readAddress(data, 0)
    const trader = readAddress(data, 1)
    if (token === null || trader === null) return false
    const price = readUint(data, 2)
    const tokenAmount = readUint(data, 3)
    const quoteAmount = readUint(data, 4)
    const offers = readUint(data, 6)
    pushCurveTrade(log, scope, {
      token,
      quote: paymentTokenOf(scope, { platform, token, isBuy, amounts: amountsPaid(data) }),
      trader,
      isBuy,
      tokenAmount,
      quoteAmount,
      reserve0: offers,
      reserve1: readUint(data, 7),
      priceRaw: ratioOf(price, priceUnit),
      filledPpm: ppmOf(tokensForSale - offers, tokensForSale),
    })
    return true
  }
}

/** The first version, only in the native coin: amounts, and in some deployments the fee. */
function firstTradeDecoder(isBuy: boolean): LogDecoder {
  return (log, scope) => {
    if (log.topics.length !== 1 || log.data.length < dataLength(4)) return false
    const token = readAddress(log.data, 0)
    const trader = readAddress(log.data, 1)
    if (token === null || trader === null) return false
    const tokenAmount = readUint(log.data, 2)
    const quoteAmount = readUint(log.data, 3)
    pushCurveTrade(log, scope, {
      token,
      quote: nativeToken,
      trader,
      isBuy,
      tokenAmount,
      quoteAmount,
      reserve0: null,
      reserve1: null,
      priceRaw: ratioOf(quoteAmount, tokenAmount),
      filledPpm: null,
    })
    return true
  }
}

/** The transfer of the tokens in the same transaction shows the pool. */
const decodeLiquidityAdded: LogDecoder = (log, scope) => {
  if (log.topics.length !== 1 || log.data.length < dataLength(4)) return false
  const token = readAddress(log.data, 0)
  const paidIn = readAddress(log.data, 2)
  if (token === null || paidIn === null) return false
  const pool = poolWithFirstLiquidity(scope, token)
  if (pool !== null) pushGraduation(log, scope, { token, quote: orNative(paidIn), pool })
  return true
}

/**
 * four.meme: curves in the native coin or one of a few tokens, which end in a PancakeSwap V2 pair.
 * Costs exclude the fee, which goes elsewhere.
 */
export const fourMeme: EvmVenue = {
  name: 'fourMeme',
  kind: 'curve',
  events: {
    // TokenCreate(address creator, address token, uint256 requestId, string name, string symbol,
    // uint256 totalSupply, uint256 launchTime, uint256 launchFee); the first version's has no
    // launchFee
    '0x396d5e902b675b032348d3d2e9517ee8f0c4a926603fbc075d3d282ff00cad20': decodeTokenCreate,
    '0xc60523754e4c8d044ae75f841c3a7f27fefeed24c086155510c2ae0edf538fa0': decodeTokenCreate,
    // TokenPurchase(address token, address account, uint256 price, uint256 amount, uint256 cost,
    // uint256 fee, uint256 offers, uint256 funds), and TokenSale of the same
    [purchaseTopic]: tradeDecoder(true),
    '0x0a5575b3648bae2210cee56bf33254cc1ddfbc7bf637c0af2ac18b14fb1bae19': tradeDecoder(false),
    // TokenPurchase(address token, address account, uint256 tokenAmount, uint256 etherAmount),
    // TokenSale; with uint256 fee
    '0x623b3804fa71d67900d064613da8f94b9617215ee90799290593e1745087ad18': firstTradeDecoder(true),
    '0x3aa3f154f6bf5e3490d1a7205aa8d1412e76d26f9d186830de86fb9309224040': firstTradeDecoder(false),
    '0x00fe0e12b43090c1fc19a34aefa5cc138a4eeafc60ab800f855c730b3fb9480e': firstTradeDecoder(true),
    '0x80d4e495cda89b31af98c8e977ff11f417bafcee26902a17a15be51830c47533': firstTradeDecoder(false),
    // LiquidityAdded(address base, uint256 offers, address quote, uint256 funds)
    '0xc18aa71171b358b706fe3dd345299685ba21a5316c66ffa9e319268b033c44b0': decodeLiquidityAdded,
  },
}
