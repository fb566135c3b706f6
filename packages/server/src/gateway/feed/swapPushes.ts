import { decimalOfRaw } from '../../lib/decimal.ts'
import { accountChangeFlag, type FinishedSwap } from '../../model/finishedBlock.ts'
import type { SwapEvent } from '../../model/marketEvent.ts'
import type { PairFacts } from '../chain/pairFacts.ts'
import {
  ofPairSwapText,
  profileText,
  tokenSwapText,
  tradesResultText,
  txResultText,
  walletResultText,
} from '../ground/rowTexts.ts'
import { decimalOrZero, unknownMark } from '../rows/wireNumber.ts'
import { type Push, TextPush } from './push.ts'
import {
  amountText,
  jsonString,
  type LocatedTrade,
  markFields,
  pushedValue,
  type ResultMark,
  type TradeBlock,
  timeMsText,
  usdE8Text,
} from './tradeTexts.ts'

export type LocatedSwap = LocatedTrade<SwapEvent>

/** All push forms of one swap. Shared fields are encoded once, and each form on first use. */
export class SwapPushes {
  readonly swap: LocatedSwap
  #fieldsText: string | null = null
  #pairPush: Push | null = null
  #tokenPush: Push | null = null
  #walletPush: Push | null = null
  #chainPush: Push | null = null

  constructor(swap: LocatedSwap) {
    this.swap = swap
  }

  forPair(): Push {
    const { facts, event, mark } = this.swap
    this.#pairPush ??= this.#push(pairSwapResult(facts, this.#fields(), event.swap, mark))
    return this.#pairPush
  }

  forToken(): Push {
    const { facts, mark } = this.swap
    this.#tokenPush ??= this.#push(tokenSwapResult(facts, this.#fields(), mark))
    return this.#tokenPush
  }

  forWallet(chain: string): Push {
    const { event, mark } = this.swap
    const id = JSON.stringify(`${event.swap.wallet}-${chain}`)
    this.#walletPush ??= this.#push(walletSwapResult(id, this.#fields(), mark))
    return this.#walletPush
  }

  forChain(): Push {
    const { facts, mark } = this.swap
    this.#chainPush ??= this.#push(chainSwapResult(facts, this.#fields(), mark))
    return this.#chainPush
  }

  #fields(): string {
    this.#fieldsText ??= swapFields(this.swap.facts, this.swap.event, this.swap)
    return this.#fieldsText
  }

  #push(result: string): Push {
    const { place, sentMs } = this.swap
    return new TextPush({ result, place, sentMs, conflateKey: null })
  }
}

/** Fields that all pushes of a swap share, as JSON text without the closing brace of `tx`. */
export function swapFields(facts: PairFacts, event: SwapEvent, place: TradeBlock): string {
  const { swap, quote, isBuy } = event
  const { token0, token1 } = facts
  const worth = pushedValue(facts, event)
  // A buy receives the target token, a sell gives it away.
  const isFrom0 = facts.is0Target !== isBuy
  const from = isFrom0 ? token0 : token1
  const to = isFrom0 ? token1 : token0
  const wallet = jsonString(swap.wallet)
  const amount0 = amountText(swap.amount0, token0.decimals)
  const amount1 = amountText(swap.amount1, token1.decimals)
  const reserve0 = amountText(swap.reserve0, token0.decimals)
  const reserve1 = amountText(swap.reserve1, token1.decimals)
  const known = unknownMark(quote.liquidityUsd !== null)
  const usd0 = decimalOrZero(quote.price0Usd)
  const usd1 = decimalOrZero(quote.price1Usd)
  const native0 = decimalOrZero(quote.price0Native)
  const native1 = decimalOrZero(quote.price1Native)
  return tokenSwapText({
    amm: facts.ammJson,
    amount_eth: amountText(worth.nativeRaw, facts.nativeDecimals),
    amount_usd: usdE8Text(worth.usdE8),
    block_number: `${place.blockNumber}`,
    chain: facts.chainJson,
    direction: isBuy ? 'buy' : 'sell',
    from_address: from.addressJson,
    from_amount: isFrom0 ? amount0 : amount1,
    from_price_eth: isFrom0 ? native0 : native1,
    from_price_usd: isFrom0 ? usd0 : usd1,
    from_reserve: isFrom0 ? reserve0 : reserve1,
    from_reserve_known: known,
    from_symbol: from.symbolJson,
    id: `"${place.blockNumber}-${swap.index}"`,
    pair_address: facts.addressJson,
    pair_liquidity_eth: decimalOrZero(quote.liquidityNative),
    pair_liquidity_usd: decimalOrZero(quote.liquidityUsd),
    pair_liquidity_usd_known: known,
    pair_liquidity_eth_known: known,
    sender: swap.sender === '' ? wallet : jsonString(swap.sender),
    target_token: facts.target.addressJson,
    time: `${place.timeS}`,
    time_ms: timeMsText(place.timeMs),
    to: swap.to === '' ? wallet : jsonString(swap.to),
    to_address: to.addressJson,
    to_amount: isFrom0 ? amount1 : amount0,
    to_price_eth: isFrom0 ? native1 : native0,
    to_price_usd: isFrom0 ? usd1 : usd0,
    to_reserve: isFrom0 ? reserve1 : reserve0,
    to_reserve_known: known,
    to_symbol: to.symbolJson,
    transaction: jsonString(swap.txHash),
    tx_swap_type: isBuy ? '0' : '1',
    wallet_address: wallet,
    wallet_tag: 'null',
    usd_reason: worth.reason,
  })
}

/** Result of a `tx` push, with the holdings of the trader after the swap. */
export function pairSwapResult(
  facts: PairFacts,
  fields: string,
  swap: FinishedSwap,
  mark: ResultMark,
): string {
  const ofPair = ofPairSwapText({ profile: profileOf(facts, swap), tx_seq: `${swap.index}` })
  return resultOf(facts, mark, fields + ofPair)
}

/** Result of a `multi_tx` push. */
export function tokenSwapResult(facts: PairFacts, fields: string, mark: ResultMark): string {
  return resultOf(facts, mark, `${fields}}`)
}

/** Result of a `wallet` push. `id` is the wallet's id. */
export function walletSwapResult(id: string, fields: string, mark: ResultMark): string {
  const { snapshot, retracted } = markFields(mark)
  return walletResultText({ snapshot, retracted, id, tx: `${fields}}` })
}

/** Result of a `trades` push. */
export function chainSwapResult({ idJson }: PairFacts, fields: string, mark: ResultMark): string {
  const { snapshot, retracted } = markFields(mark)
  return tradesResultText({ snapshot, retracted, id: idJson, tx: `${fields}}` })
}

function resultOf({ addressJson }: PairFacts, mark: ResultMark, tx: string): string {
  const { snapshot, retracted } = markFields(mark)
  return txResultText({ snapshot, retracted, id: addressJson, tx })
}

/**
 * Profile of the trader: JSON inside a JSON string. An unknown holding is 0 and marked as unknown.
 */
function profileOf({ token0, token1, nativeDecimals }: PairFacts, swap: FinishedSwap): string {
  const flags = swap.accountFlags
  const has = (flag: number) => ((flags & flag) === 0 ? 'false' : 'true')
  return profileText({
    solTotalHolding: holding(swap.native, nativeDecimals),
    solTotalHolding_known: unknownMark(swap.native !== null),
    token0Address: inner(token0.addressJson),
    token0HasClearedAccount: has(accountChangeFlag.token0Cleared),
    token0HasClosedAccount: has(accountChangeFlag.token0Closed),
    token0HasNewAccount: has(accountChangeFlag.token0New),
    token0TotalHolding: holding(swap.holding0, token0.decimals),
    token0TotalHolding_known: unknownMark(swap.holding0 !== null),
    token1Address: inner(token1.addressJson),
    token1HasClearedAccount: has(accountChangeFlag.token1Cleared),
    token1HasClosedAccount: has(accountChangeFlag.token1Closed),
    token1TotalHolding: holding(swap.holding1, token1.decimals),
    token1TotalHolding_known: unknownMark(swap.holding1 !== null),
    token1HasNewAccount: has(accountChangeFlag.token1New),
  })
}

function holding(raw: bigint | null, decimals: number): string {
  return raw === null ? '0' : decimalOfRaw(raw, decimals)
}

/** Escapes a JSON text for use inside a JSON string. */
function inner(json: string): string {
  return JSON.stringify(json).slice(1, -1)
}
