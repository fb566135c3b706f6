import { encodeBlockColumn } from '../../model/block.ts'
import type {
  FinishedLiquidity,
  FinishedState,
  FinishedSwap,
  FinishedSync,
} from '../../model/finishedBlock.ts'
import type { LiquidityEvent, PairValuation, SwapEvent } from '../../model/marketEvent.ts'
import type { EndedKlineBuffer } from '../klines/klineRows.ts'
import type { MarketState } from '../marketState.ts'
import { BigWords, scaleByTen } from '../tables/bigWords.ts'
import { hasTvl, pairColumn, pairFlag, pairPart, token0Of, token1Of } from '../tables/pairTable.ts'
import { tokenColumn, tokenPart } from '../tables/tokenTable.ts'
import type { BlockPairs, Trade } from '../tables/trade.ts'
import { updateClose } from '../windows/windows.ts'
import { areReservesKnown, reserveKind } from './reserves.ts'
import { nativeRawOf, TradeWorth, usdE8Of } from './tradeWorth.ts'

// Local alias: V8 inlines fields of a local constant, but not of an imported one.
const P = pairColumn
const T = tokenColumn
const pairParts = pairPart
const tokenParts = tokenPart
const flags = pairFlag
const kinds = reserveKind

/** Applies pool events to pairs: reserves and price, USD values, klines and windows. */
export class PairPricer {
  readonly #state: MarketState
  readonly #nativeDecimals: number
  readonly #tradeWorth: TradeWorth
  /** Price of the current pair's quote token; 0 if unknown. */
  #quoteUsd = 0
  #quoteNative = 0
  /**
   * Maximum quote amount that counts: for a token that is not a quote asset, the amount that its
   * own main pair could buy.
   */
  #quoteRawMax = Number.POSITIVE_INFINITY
  readonly #words = new BigWords()

  constructor(state: MarketState) {
    this.#state = state
    const { catalog, rates, profile } = state
    this.#nativeDecimals = profile.native.decimals
    this.#tradeWorth = new TradeWorth({ catalog, rates, nativeDecimals: this.#nativeDecimals })
  }

  /** Applies a swap. The caller has set the block's time and the wallet's hash in `trade`. */
  swap(
    swap: FinishedSwap,
    blockNumber: number,
    trade: Trade,
    ended: EndedKlineBuffer,
    blockPairs: BlockPairs,
  ): SwapEvent {
    const { pairs, klines, windows, timeS } = this.#state
    const row = swap.pairId + 1
    this.#setState(swap, row, swap.pairId, blockPairs)
    const pair = pairs.page(row)
    const at = pairs.at(row)
    const is0 = pair[at + P.targetSide] === 0
    const words = this.#words
    words.set(is0 ? swap.amount1 : swap.amount0)
    const quote = Math.min(Math.abs(words.approx), this.#quoteRawMax)
    windows.setQuoteAmount(words)
    words.set(is0 ? swap.amount0 : swap.amount1)
    const isBuy = words.isNegative
    const quoteToken = pair[at + P.quoteToken]!
    const isTrusted = (pair[at + P.flags]! & flags.isTrusted) !== 0
    trade.pairId = swap.pairId
    trade.pairRow = row
    trade.isBuy = isBuy
    trade.isTrusted = isTrusted
    trade.quoteToken = quoteToken
    trade.quoteUsd = this.#quoteUsd
    // Trades of untrusted pools are worth 0: the creator of a pool can write any amounts into its
    // events.
    trade.usdE8 = isTrusted
      ? this.#tradeWorth.usdE8(pair, at, quote, Math.abs(words.approx), this.#quoteUsd)
      : 0
    const amountNativeRaw = isTrusted
      ? this.#tradeWorth.nativeRaw(swap, pair, at, quote, this.#quoteNative, trade.native)
      : clearNativeValue(trade)
    trade.priceUsd = pair[at + P.priceUsd]!
    trade.priceNative = pair[at + P.priceNative]!
    trade.isFirst = pair[at + P.tradedBlock] !== encodeBlockColumn(blockNumber)
    if (trade.isFirst) {
      pair[at + P.tradedBlock] = encodeBlockColumn(blockNumber)
      blockPairs.traded.push(swap.pairId)
    }
    this.#tradeSeries(pair[at + P.targetToken]!, quoteToken, trade, ended)
    // A kline consists of prices. Without decimals there are none, and charts would draw zeros.
    if ((pair[at + P.flags]! & flags.isUnscaled) === 0) klines.trade(pair, at, trade, ended)
    windows.addTrade(pair, at, trade, words)
    this.#setTraded(pair, at, row, trade, blockNumber, timeS)
    return {
      type: 'swap',
      swap,
      quote: this.#quote(pair, at, swap.pairId),
      amountUsdE8: trade.usdE8,
      amountNativeRaw,
      isBuy,
    }
  }

  /**
   * Adds the trade to the price series of both tokens, if they have one. Must precede the update of
   * the pair.
   */
  #tradeSeries(
    targetToken: number,
    quoteToken: number,
    trade: Readonly<Trade>,
    ended: EndedKlineBuffer,
  ): void {
    const { tokens, series } = this.#state
    const ofTarget = tokens.page(targetToken + 1)[tokens.at(targetToken + 1) + T.series]!
    if (ofTarget !== 0) series.addTrade(ofTarget, trade, this.#quoteNative, ended)
    const ofQuote = tokens.page(quoteToken + 1)[tokens.at(quoteToken + 1) + T.series]!
    if (ofQuote !== 0) series.addTrade(ofQuote, trade, this.#quoteNative, ended)
  }

  liquidity(liquidity: FinishedLiquidity, blockPairs: BlockPairs): LiquidityEvent {
    const { pairs, catalog } = this.#state
    const row = liquidity.pairId + 1
    // A newly created pool has no state yet: its first event with reserves sets the initial
    // reserves.
    if (liquidity.kind !== 'create') this.#setState(liquidity, row, liquidity.pairId, blockPairs)
    else this.#setQuoteRates(pairs.page(row), pairs.at(row))
    const quote = this.#quote(pairs.page(row), pairs.at(row), liquidity.pairId)
    // The known side by itself would be half of the value, and an untrusted pool can claim any
    // amounts.
    if (!hasTvl(pairs.page(row)[pairs.at(row) + P.flags]!))
      return { type: 'liquidity', liquidity, quote, amountUsdE8: 0, amountNativeRaw: 0n }
    const token0Id = token0Of(pairs.page(row), pairs.at(row))
    const token1Id = token1Of(pairs.page(row), pairs.at(row))
    const amount0 = scaleByTen(Number(liquidity.amount0), -catalog.decimals(token0Id))
    const amount1 = scaleByTen(Number(liquidity.amount1), -catalog.decimals(token1Id))
    const usd = amount0 * (quote.price0Usd ?? 0) + amount1 * (quote.price1Usd ?? 0)
    const native = amount0 * (quote.price0Native ?? 0) + amount1 * (quote.price1Native ?? 0)
    return {
      type: 'liquidity',
      liquidity,
      quote,
      amountUsdE8: usdE8Of(usd),
      amountNativeRaw: nativeRawOf(scaleByTen(native, this.#nativeDecimals)),
    }
  }

  sync(sync: FinishedSync, blockPairs: BlockPairs): void {
    this.#setState(sync, sync.pairId + 1, sync.pairId, blockPairs)
  }

  /** Prices a pair from its pool's state once the decimals of both tokens are known. */
  rescale(pairId: number, blockPairs: BlockPairs): void {
    const { pairs } = this.#state
    const row = pairId + 1
    const pair = pairs.page(row)
    const at = pairs.at(row)
    pairs.save(row, pairParts.market)
    this.#startPairInBlock(pair, at, pairId, blockPairs)
    pairs.save(row, pairParts.facts)
    pair[at + P.flags]! &= ~flags.isUnscaled
    this.#setQuoteRates(pair, at)
    this.#setPrice(pair, at, pair[at + P.priceRaw]!)
  }

  #setState(after: FinishedState, row: number, pairId: number, blockPairs: BlockPairs): void {
    const { pairs, reserves, height, timeS } = this.#state
    const words = this.#words
    const pair = pairs.page(row)
    const at = pairs.at(row)
    if (pair[at + P.touchedHeight] !== height) {
      pairs.save(row, pairParts.market)
      this.#startPairInBlock(pair, at, pairId, blockPairs)
    }
    const isFirst = pair[at + P.isInitialised] === 0 && (after.reserve0 > 0n || after.reserve1 > 0n)
    if (isFirst) {
      pairs.save(row, pairParts.facts)
      pair[at + P.isInitialised] = 1
    }
    words.set(after.reserve0)
    reserves.set(row, kinds.reserve0, after.reserve0, words)
    if (isFirst) reserves.set(row, kinds.initReserve0, after.reserve0, words)
    pair[at + P.reserve0] = words.approx
    words.set(after.reserve1)
    reserves.set(row, kinds.reserve1, after.reserve1, words)
    if (isFirst) reserves.set(row, kinds.initReserve1, after.reserve1, words)
    pair[at + P.reserve1] = words.approx
    pair[at + P.updatedAtS] = timeS
    this.#setQuoteRates(pair, at)
    this.#setPrice(pair, at, after.priceRaw)
  }

  /** Prepares a pair when a block first touches it. */
  #startPairInBlock(pair: Float64Array, at: number, pairId: number, blockPairs: BlockPairs): void {
    const { tokens, height, timeS, mainPairs } = this.#state
    blockPairs.touched.push(pairId)
    pair[at + P.touchedHeight] = height
    pair[at + P.startPrice] = pair[at + P.price]!
    // An untrusted pool does not update its tokens: any contract can name any token.
    if ((pair[at + P.flags]! & flags.isTrusted) === 0) return
    const tokenRow = pair[at + P.targetToken]! + 1
    tokens.save(tokenRow, tokenParts.activity)
    const token = tokens.page(tokenRow)
    const tokenAt = tokens.at(tokenRow)
    token[tokenAt + T.updatedAtS] = timeS
    this.#setUpdated(pair[at + P.quoteToken]! + 1, timeS)
    if (pair[at + P.flags]! & flags.mayPrice) mainPairs.markToken(tokenRow, token, tokenAt, height)
  }

  /**
   * Sets the update time of a quote token. Few tokens are the quote of many pairs, so most calls
   * change nothing.
   */
  #setUpdated(tokenRow: number, timeS: number): void {
    const { tokens } = this.#state
    const token = tokens.page(tokenRow)
    const at = tokens.at(tokenRow)
    if (token[at + T.updatedAtS] === timeS) return
    tokens.save(tokenRow, tokenParts.activity)
    token[at + T.updatedAtS] = timeS
  }

  /**
   * Sets the price of the pair's quote token as of the previous block: the token's own pair may
   * have changed since.
   */
  #setQuoteRates(pair: Float64Array, at: number): void {
    const { rates, tokens, pairs, height, catalog } = this.#state
    const quoteIndex = pair[at + P.quoteIndex]!
    if (quoteIndex >= 0) {
      this.#quoteUsd = rates.quoteUsd(quoteIndex)
      this.#quoteNative = rates.quoteNative(quoteIndex)
      this.#quoteRawMax = Number.POSITIVE_INFINITY
      return
    }
    this.#quoteUsd = 0
    this.#quoteNative = 0
    this.#quoteRawMax = 0
    const tokenRow = pair[at + P.quoteToken]! + 1
    const mainRow = tokens.page(tokenRow)[tokens.at(tokenRow) + T.mainPair]!
    if (mainRow === 0) return
    const main = pairs.page(mainRow)
    const mainAt = pairs.at(mainRow)
    const price =
      main[mainAt + (main[mainAt + P.touchedHeight] === height ? P.startPrice : P.price)]!
    this.#quoteUsd = price * rates.quoteUsd(main[mainAt + P.quoteIndex]!)
    this.#quoteNative = price * rates.quoteNative(main[mainAt + P.quoteIndex]!)
    const reserve = main[mainAt + (main[mainAt + P.targetSide] === 0 ? P.reserve1 : P.reserve0)]!
    const exponent =
      catalog.decimals(pair[at + P.quoteToken]!) - catalog.decimals(main[mainAt + P.quoteToken]!)
    this.#quoteRawMax = price === 0 ? 0 : scaleByTen(reserve, exponent) / price
  }

  #setPrice(pair: Float64Array, at: number, priceRaw: number): void {
    if (!(priceRaw > 0) || priceRaw === Number.POSITIVE_INFINITY) return
    if (pair[at + P.flags]! & flags.isUnscaled) {
      pair[at + P.priceRaw] = priceRaw
      return
    }
    const { catalog, tokens } = this.#state
    const is0 = pair[at + P.targetSide] === 0
    const exponent =
      catalog.decimals(pair[at + P.targetToken]!) - catalog.decimals(pair[at + P.quoteToken]!)
    const price1Per0 = scaleByTen(priceRaw, is0 ? exponent : -exponent)
    const price = is0 ? price1Per0 : 1 / price1Per0
    const priceUsd = price * this.#quoteUsd
    if (!(price > 0) || !(priceUsd < Number.POSITIVE_INFINITY)) return
    pair[at + P.priceRaw] = priceRaw
    pair[at + P.price] = price
    pair[at + P.priceUsd] = priceUsd
    pair[at + P.priceNative] = this.#targetNative(pair, at, price)
    if (priceUsd === 0 || (pair[at + P.flags]! & flags.isTrusted) === 0) return
    const tokenRow = pair[at + P.targetToken]! + 1
    const token = tokens.page(tokenRow)
    const tokenAt = tokens.at(tokenRow)
    // A token discovered after its launch has no known launch price.
    if (token[tokenAt + T.launchPriceUsd] !== 0 || token[tokenAt + T.launchedAtS] === 0) return
    tokens.save(tokenRow, tokenParts.facts)
    token[tokenAt + T.launchPriceUsd] = priceUsd
  }

  #setTraded(
    pair: Float64Array,
    at: number,
    row: number,
    trade: Readonly<Trade>,
    blockNumber: number,
    timeS: number,
  ): void {
    updateClose(pair, at, trade)
    if (trade.priceNative !== 0) pair[at + P.closeNative] = trade.priceNative
    if (trade.priceUsd > pair[at + P.athUsd]!) pair[at + P.athUsd] = trade.priceUsd
    if (pair[at + P.firstTradeAtS] === 0) {
      this.#state.pairs.save(row, pairParts.facts)
      pair[at + P.firstTradeAtS] = timeS
      pair[at + P.firstTradeBlock] = blockNumber
      pair[at + P.firstTradeSwaps] = 1
    } else if (pair[at + P.firstTradeBlock] === blockNumber) {
      this.#state.pairs.save(row, pairParts.facts)
      pair[at + P.firstTradeSwaps] = pair[at + P.firstTradeSwaps]! + 1
    }
    if (!trade.isTrusted) return
    this.#setTokenTraded(pair[at + P.targetToken]! + 1, blockNumber, timeS)
    this.#setTokenTraded(pair[at + P.quoteToken]! + 1, blockNumber, timeS)
  }

  #setTokenTraded(tokenRow: number, blockNumber: number, timeS: number): void {
    const { tokens } = this.#state
    const token = tokens.page(tokenRow)
    const at = tokens.at(tokenRow)
    if (token[at + T.tradedBlock] === encodeBlockColumn(blockNumber)) return
    tokens.save(tokenRow, tokenParts.activity)
    token[at + T.tradedBlock] = encodeBlockColumn(blockNumber)
    token[at + T.lastTradeAtS] = timeS
  }

  /**
   * Native price of the target: 1 if the target is the native coin itself, whatever the quote is
   * worth.
   */
  #targetNative(pair: Float64Array, at: number, price: number): number {
    return this.#tradeWorth.isNative(pair[at + P.targetToken]!) ? 1 : price * this.#quoteNative
  }

  #quote(pair: Float64Array, at: number, pairId: number): PairValuation {
    const { catalog } = this.#state
    const is0 = pair[at + P.targetSide] === 0
    const target = catalog.decimals(pair[at + P.targetToken]!)
    const quote = catalog.decimals(pair[at + P.quoteToken]!)
    const amount0 = scaleByTen(pair[at + P.reserve0]!, -(is0 ? target : quote))
    const amount1 = scaleByTen(pair[at + P.reserve1]!, -(is0 ? quote : target))
    const targetUsd = pair[at + P.priceUsd]!
    const targetNative = pair[at + P.priceNative]!
    const usd0 = is0 ? targetUsd : this.#quoteUsd
    const usd1 = is0 ? this.#quoteUsd : targetUsd
    const native0 = is0 ? targetNative : this.#quoteNative
    const native1 = is0 ? this.#quoteNative : targetNative
    const isKnown = areReservesKnown(this.#state, pair, at, pairId)
    const isCounted = hasTvl(pair[at + P.flags]!)
    return {
      price0Usd: usd0 === 0 ? null : usd0,
      price1Usd: usd1 === 0 ? null : usd1,
      price0Native: native0 === 0 ? null : native0,
      price1Native: native1 === 0 ? null : native1,
      liquidityUsd: !isKnown ? null : isCounted ? amount0 * usd0 + amount1 * usd1 : 0,
      liquidityNative: !isKnown ? null : isCounted ? amount0 * native0 + amount1 * native1 : 0,
    }
  }
}

/** Sets the native value of a trade that does not count to 0. */
function clearNativeValue({ native }: Trade): bigint {
  native.setNumber(0)
  return 0n
}
