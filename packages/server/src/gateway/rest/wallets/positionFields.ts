import type { TokenHolder } from '@chaintape/protocol'
import { decimalOfDouble, decimalOfE8 } from '../../../lib/decimal.ts'
import type { Position } from '../../../model/position.ts'
import { decimalOrZero, jsonNumber, jsonTokenAmount, ratioOf } from '../../rows/wireNumber.ts'
import { lastTradeS } from './readPositions.ts'
import { formatRfc3339 } from './walletInputs.ts'

/** Converts raw units to whole tokens, as a double. */
export function wholeTokens(raw: bigint, decimals: number): number {
  return Number(raw) / 10 ** decimals
}

/** Returns the average USD price per whole token; 0 without trades. */
export function averagePrice(usdE8: bigint, raw: bigint, decimals: number): string {
  return raw === 0n ? '0' : decimalOrZero(Number(usdE8) / 1e8 / wholeTokens(raw, decimals))
}

export type Profit = {
  realizedUsdE8: bigint
  /** Profit on purchased tokens still held, at the current price. */
  unrealizedUsd: number
  /** Cost of all purchased tokens, sold or still held. */
  costUsdE8: bigint
}

/**
 * Computes the profit of a position. Tokens that left the wallet without a sale count neither as
 * profit nor as cost.
 */
export function profitOf(
  position: Position,
  { balanceRaw, priceUsd, decimals }: { balanceRaw: bigint; priceUsd: number; decimals: number },
): Profit {
  const { heldRaw } = position
  const keptRaw = heldRaw < balanceRaw ? heldRaw : balanceRaw
  const keptCostE8 = heldRaw === 0n ? 0n : (position.costUsdE8 * keptRaw) / heldRaw
  return {
    realizedUsdE8: position.profitUsdE8,
    unrealizedUsd: wholeTokens(keptRaw, decimals) * priceUsd - Number(keptCostE8) / 1e8,
    costUsdE8: position.soldCostUsdE8 + keptCostE8,
  }
}

export function profitFields({ realizedUsdE8, unrealizedUsd, costUsdE8 }: Profit) {
  const totalUsd = Number(realizedUsdE8) / 1e8 + unrealizedUsd
  return {
    realized_profit: decimalOfE8(realizedUsdE8),
    unrealized_profit: decimalOrZero(unrealizedUsd),
    total_profit: decimalOrZero(totalUsd),
    total_profit_ratio: decimalOrZero(totalUsd / (Number(costUsdE8) / 1e8)),
  }
}

/** Returns the fraction of sold tokens (with known cost) that were sold at a profit. */
export function winRatio(positions: readonly Position[]): string {
  const sold = positions.filter(({ soldCostUsdE8 }) => soldCostUsdE8 > 0n)
  const won = sold.filter(({ profitUsdE8 }) => profitUsdE8 > 0n)
  return decimalOfDouble(ratioOf(BigInt(won.length), BigInt(sold.length)))
}

/** Members of a holder's row as JSON, by name. */
export type HolderMembers = { readonly [name in keyof TokenHolder]?: string }

/** Encodes how a holder traded. Figures of a holder without trades are 0 or null. */
export function encodeHolderTrades(
  position: Position,
  market: { balanceRaw: bigint; priceUsd: number; decimals: number },
): HolderMembers {
  const { decimals } = market
  const { boughtRaw, soldRaw, firstBuyS, firstSellS } = position
  const boughtUsd = usdOf(position.boughtUsdE8)
  const soldUsd = usdOf(position.soldUsdE8)
  const maxBuyUsd = usdOf(position.maxBuyUsdE8)
  const maxSellUsd = usdOf(position.maxSellUsdE8)
  const firstS = firstBuyS > 0 && firstSellS > 0 ? Math.min(firstBuyS, firstSellS) : firstBuyS
  return {
    avg_purchase_price: jsonNumber(boughtUsd / wholeTokens(boughtRaw, decimals)),
    avg_sale_price: jsonNumber(soldUsd / wholeTokens(soldRaw, decimals)),
    ...profitMembers(position, market),
    max_single_purchase_usd: jsonNumber(maxBuyUsd),
    max_single_sold_usd: jsonNumber(maxSellUsd),
    max_txn_usd: jsonNumber(Math.max(maxBuyUsd, maxSellUsd)),
    buy_amount_cur: jsonTokenAmount(boughtRaw, decimals),
    buy_volume_cur: jsonNumber(boughtUsd),
    buy_tx_count_cur: String(position.buyCount),
    sell_amount_cur: jsonTokenAmount(soldRaw, decimals),
    sell_volume_cur: jsonNumber(soldUsd),
    sell_tx_count_cur: String(position.sellCount),
    first_purchase_time: timeText(firstBuyS),
    last_txn_time: timeText(lastTradeS(position)),
    trade_first_at: String(firstS || firstSellS),
    trade_last_at: String(lastTradeS(position)),
  }
}

function profitMembers(
  position: Position,
  market: { balanceRaw: bigint; priceUsd: number; decimals: number },
): HolderMembers {
  const { realizedUsdE8, unrealizedUsd, costUsdE8 } = profitOf(position, market)
  const realizedUsd = usdOf(realizedUsdE8)
  const keptCostUsd = usdOf(costUsdE8 - position.soldCostUsdE8)
  return {
    cost_cur: jsonNumber(keptCostUsd),
    realized_profit: jsonNumber(realizedUsd),
    unrealized_profit: jsonNumber(unrealizedUsd),
    total_profit: jsonNumber(realizedUsd + unrealizedUsd),
    realized_profit_ratio: jsonNumber(realizedUsd / usdOf(position.soldCostUsdE8)),
    unrealized_profit_ratio: jsonNumber(unrealizedUsd / keptCostUsd),
    total_profit_ratio: jsonNumber((realizedUsd + unrealizedUsd) / usdOf(costUsdE8)),
  }
}

function usdOf(usdE8: bigint): number {
  return Number(usdE8) / 1e8
}

function timeText(timeS: number): string {
  return timeS === 0 ? 'null' : JSON.stringify(formatRfc3339(timeS))
}
