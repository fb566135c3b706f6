import { decimalOfRaw } from '../../lib/decimal.ts'
import { accountFlag, type FinishedSwap } from '../../model/finishedBlock.ts'
import type { SwapEvent } from '../../model/marketEvent.ts'
import { jsonAmount, jsonDecimal, jsonUsdE8, jsonWord } from './jsonText.ts'
import type { PairFacts } from './pairFacts.ts'
import { pushedWorth } from './pushedWorth.ts'

/** What stands beside the transaction in a result: nothing, or why it is sent. */
export type ResultMark = '' | '"retracted":true,' | '"snapshot":true,'

export type SwapPlace = { blockNumber: number; timeS: number }

/** The fields that pair-based and token-based pushes share, without the closing brace of `tx`. */
export function swapFields(facts: PairFacts, event: SwapEvent, place: SwapPlace): string {
  const { swap, quote, isBuy } = event
  const { token0, token1, nativeDecimals } = facts
  const worth = pushedWorth(facts, event)
  // Bought is the target token of a buy, sold that of a sell.
  const isFrom0 = facts.is0Target !== isBuy
  const from = isFrom0 ? token0 : token1
  const to = isFrom0 ? token1 : token0
  const wallet = jsonWord(swap.wallet)
  const amount0 = jsonAmount(swap.amount0, token0.decimals)
  const amount1 = jsonAmount(swap.amount1, token1.decimals)
  const reserve0 = jsonAmount(swap.reserve0, token0.decimals)
  const reserve1 = jsonAmount(swap.reserve1, token1.decimals)
  const usd0 = jsonDecimal(quote.price0Usd)
  const usd1 = jsonDecimal(quote.price1Usd)
  const native0 = jsonDecimal(quote.price0Native)
  const native1 = jsonDecimal(quote.price1Native)
  return `{"amm":${facts.ammJson},"amount_eth":${jsonAmount(BigInt(worth.nativeRaw), nativeDecimals)},"amount_usd":${jsonUsdE8(worth.usdE8)},"block_number":${place.blockNumber},"chain":${facts.chainJson},"direction":"${isBuy ? 'buy' : 'sell'}","from_address":${from.addressJson},"from_amount":${isFrom0 ? amount0 : amount1},"from_price_eth":${isFrom0 ? native0 : native1},"from_price_usd":${isFrom0 ? usd0 : usd1},"from_reserve":${isFrom0 ? reserve0 : reserve1},"from_symbol":${from.symbolJson},"id":"${place.blockNumber}-${swap.index}","pair_address":${facts.addressJson},"pair_liquidity_eth":${jsonDecimal(quote.liquidityNative)},"pair_liquidity_usd":${jsonDecimal(quote.liquidityUsd)},"sender":${swap.sender === '' ? wallet : jsonWord(swap.sender)},"target_token":${facts.target.addressJson},"time":${place.timeS},"to":${swap.to === '' ? wallet : jsonWord(swap.to)},"to_address":${to.addressJson},"to_amount":${isFrom0 ? amount1 : amount0},"to_price_eth":${isFrom0 ? native1 : native0},"to_price_usd":${isFrom0 ? usd1 : usd0},"to_reserve":${isFrom0 ? reserve1 : reserve0},"to_symbol":${to.symbolJson},"transaction":${jsonWord(swap.txHash)},"tx_swap_type":${isBuy ? 0 : 1},"wallet_address":${wallet},"wallet_tag":null${worth.reasonMember}`
}

/** Of a `tx` subscription: with what the trader holds after the swap. */
export function pairSwapResult(
  facts: PairFacts,
  fields: string,
  swap: FinishedSwap,
  mark: ResultMark,
): string {
  return `{${mark}"id":${facts.addressJson},"topic":"tx","tx":${fields},"profile":${profileText(facts, swap)},"tx_seq":"${swap.index}"}}`
}

/** Of a `multi_tx` subscription. */
export function tokenSwapResult(facts: PairFacts, fields: string, mark: ResultMark): string {
  return `{${mark}"id":${facts.addressJson},"topic":"tx","tx":${fields}}}`
}

/** JSON inside a JSON string. A holding that is not known is left out: a number would be made up. */
function profileText({ token0, token1, nativeDecimals }: PairFacts, swap: FinishedSwap): string {
  const flags = swap.accountFlags
  const has = (flag: number) => (flags & flag) !== 0
  return `"{${holding('solTotalHolding', swap.native, nativeDecimals)}\\"token0Address\\":${inner(token0.addressJson)},\\"token0HasClearedAccount\\":${has(accountFlag.token0Cleared)},\\"token0HasClosedAccount\\":${has(accountFlag.token0Closed)},\\"token0HasNewAccount\\":${has(accountFlag.token0New)},${holding('token0TotalHolding', swap.holding0, token0.decimals)}\\"token1Address\\":${inner(token1.addressJson)},\\"token1HasClearedAccount\\":${has(accountFlag.token1Cleared)},\\"token1HasClosedAccount\\":${has(accountFlag.token1Closed)},${holding('token1TotalHolding', swap.holding1, token1.decimals)}\\"token1HasNewAccount\\":${has(accountFlag.token1New)}}"`
}

function holding(name: string, raw: bigint | null, decimals: number): string {
  return raw === null ? '' : `\\"${name}\\":${decimalOfRaw(raw, decimals)},`
}

/** A JSON text as it stands inside a JSON string. */
function inner(json: string): string {
  return JSON.stringify(json).slice(1, -1)
}
