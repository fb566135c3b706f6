import type { LiquidityTx } from '@chaintape/protocol'
import type { LiquidityEvent } from '../../../model/marketEvent.ts'
import type { LiquidityKind } from '../../../model/pool.ts'
import { decimalOrZero } from '../../rest/wireNumber.ts'
import { liqResultText, liquidityText } from '../../rowTexts.ts'
import { amountText, jsonWord, marksOf, type ResultMark, usdE8Text } from '../jsonText.ts'
import type { PairFacts } from '../pairFacts.ts'
import { pushedWorth } from '../pushedWorth.ts'
import type { SwapPlace } from './tx.ts'

const typeWords: Record<LiquidityKind, LiquidityTx['type']> = {
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
  const tx = liquidityText({
    amm: facts.ammJson,
    block_number: `${place.blockNumber}`,
    chain: facts.chainJson,
    id: `"${place.blockNumber}-${liquidity.index}"`,
    pair_address: facts.addressJson,
    sender: liquidity.sender === '' ? wallet : jsonWord(liquidity.sender),
    time: `${place.timeS}`,
    transaction: jsonWord(liquidity.txHash),
    type: typeWords[liquidity.kind],
    wallet_address: wallet,
    amount0: amountText(liquidity.amount0, token0.decimals),
    reserve0: amountText(liquidity.reserve0, token0.decimals),
    token0_address: token0.addressJson,
    token0_price_eth: decimalOrZero(quote.price0Native),
    token0_price_usd: decimalOrZero(quote.price0Usd),
    token0_symbol: token0.symbolJson,
    amount1: amountText(liquidity.amount1, token1.decimals),
    reserve1: amountText(liquidity.reserve1, token1.decimals),
    token1_address: token1.addressJson,
    token1_price_eth: decimalOrZero(quote.price1Native),
    token1_price_usd: decimalOrZero(quote.price1Usd),
    token1_symbol: token1.symbolJson,
    amount_eth: amountText(BigInt(worth.nativeRaw), facts.nativeDecimals),
    amount_usd: usdE8Text(worth.usdE8),
    pair_liquidity_eth: decimalOrZero(quote.liquidityNative),
    pair_liquidity_usd: decimalOrZero(quote.liquidityUsd),
    usd_reason: worth.reason,
  })
  const { snapshot, retracted } = marksOf(mark)
  return liqResultText({ snapshot, retracted, id: facts.addressJson, tx })
}
