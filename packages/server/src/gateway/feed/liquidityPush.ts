import type { LiquidityEvent } from '../../model/marketEvent.ts'
import type { LiquidityKind } from '../../model/pool.ts'
import { jsonAmount, jsonDecimal, jsonUsdE8, jsonWord } from './jsonText.ts'
import type { PairFacts } from './pairFacts.ts'
import { pushedWorth } from './pushedWorth.ts'
import type { ResultMark, SwapPlace } from './swapPush.ts'

const typeWords: Record<LiquidityKind, string> = {
  add: 'addLiquidity',
  remove: 'removeLiquidity',
  create: 'createPair',
  collect: 'collectFee',
}

/** Of a `liq` subscription. */
export function liquidityResult(
  facts: PairFacts,
  event: LiquidityEvent,
  place: SwapPlace,
  mark: ResultMark,
): string {
  const { liquidity, quote } = event
  const { token0, token1 } = facts
  const worth = pushedWorth(facts, event)
  const wallet = jsonWord(liquidity.wallet)
  const side0 = `"amount0":${jsonAmount(liquidity.amount0, token0.decimals)},"reserve0":${jsonAmount(liquidity.reserve0, token0.decimals)},"token0_address":${token0.addressJson},"token0_price_eth":${jsonDecimal(quote.price0Native)},"token0_price_usd":${jsonDecimal(quote.price0Usd)},"token0_symbol":${token0.symbolJson}`
  const side1 = `"amount1":${jsonAmount(liquidity.amount1, token1.decimals)},"reserve1":${jsonAmount(liquidity.reserve1, token1.decimals)},"token1_address":${token1.addressJson},"token1_price_eth":${jsonDecimal(quote.price1Native)},"token1_price_usd":${jsonDecimal(quote.price1Usd)},"token1_symbol":${token1.symbolJson}`
  const values = `"amount_eth":${jsonAmount(BigInt(worth.nativeRaw), facts.nativeDecimals)},"amount_usd":${jsonUsdE8(worth.usdE8)},"pair_liquidity_eth":${jsonDecimal(quote.liquidityNative)},"pair_liquidity_usd":${jsonDecimal(quote.liquidityUsd)}`
  return `{${mark}"id":${facts.addressJson},"topic":"liq","tx":{"amm":${facts.ammJson},"block_number":${place.blockNumber},"chain":${facts.chainJson},"id":"${place.blockNumber}-${liquidity.index}","pair_address":${facts.addressJson},"sender":${liquidity.sender === '' ? wallet : jsonWord(liquidity.sender)},"time":${place.timeS},"transaction":${jsonWord(liquidity.txHash)},"type":"${typeWords[liquidity.kind]}","wallet_address":${wallet},${side0},${side1},${values}${worth.reasonMember}}}`
}
