import { decimalOfDouble, decimalOfE8 } from '../../lib/decimal.ts'
import type { Position } from '../../model/position.ts'
import { decimalOrZero, ratioOf } from '../rows/wireNumber.ts'

/** Whole tokens as a double. */
export function wholeOf(raw: bigint, decimals: number): number {
  return Number(raw) / 10 ** decimals
}

/** USD per whole token, on average; 0 when there was none. */
export function averagePrice(usdE8: bigint, raw: bigint, decimals: number): string {
  return raw === 0n ? '0' : decimalOrZero(Number(usdE8) / 1e8 / wholeOf(raw, decimals))
}

export type Profit = {
  realizedUsdE8: bigint
  /** Of what is held of the purchases, at the price now. */
  unrealizedUsd: number
  /** What everything in it had cost. */
  costUsdE8: bigint
}

/** Profit on what a wallet bought; of what it bought and no longer has, nothing is unrealised. */
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

/** Tokens sold with a profit among those sold whose cost is known, a fraction. */
export function winRatio(positions: readonly Position[]): string {
  const sold = positions.filter(({ soldCostUsdE8 }) => soldCostUsdE8 > 0n)
  const won = sold.filter(({ profitUsdE8 }) => profitUsdE8 > 0n)
  return decimalOfDouble(ratioOf(BigInt(won.length), BigInt(sold.length)))
}
