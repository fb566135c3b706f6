import { decimalOfDouble, decimalOfE8 } from '../../lib/decimal.ts'
import type { Position } from '../../model/position.ts'
import { decimalOrZero, ratioOf } from '../rows/wireNumber.ts'

/** Converts raw units to whole tokens, as a double. */
export function wholeOf(raw: bigint, decimals: number): number {
  return Number(raw) / 10 ** decimals
}

/** Returns the average USD price per whole token; 0 without trades. */
export function averagePrice(usdE8: bigint, raw: bigint, decimals: number): string {
  return raw === 0n ? '0' : decimalOrZero(Number(usdE8) / 1e8 / wholeOf(raw, decimals))
}

export type Profit = {
  realizedUsdE8: bigint
  /** Profit on purchased tokens still held, at the current price. */
  unrealizedUsd: number
  /** Cost of all tokens sold or still held. */
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
    unrealizedUsd: wholeOf(keptRaw, decimals) * priceUsd - Number(keptCostE8) / 1e8,
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
