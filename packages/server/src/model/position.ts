/** One buy or sale of a token, as its wallet sees it. */
export type PositionTrade = {
  isBuy: boolean
  /** Raw units of the token, above 0. */
  amountRaw: bigint
  /** 1e-8 USD; 0: the trade could not be priced. */
  usdE8: bigint
  timeS: number
}

/** A wallet's trades of one token, by average cost. USD in 1e-8. Times: 0 means never. */
export type Position = {
  buyCount: number
  sellCount: number
  boughtRaw: bigint
  soldRaw: bigint
  boughtUsdE8: bigint
  soldUsdE8: bigint
  maxBuyUsdE8: bigint
  maxSellUsdE8: bigint
  firstBuyS: number
  lastBuyS: number
  firstSellS: number
  lastSellS: number
  /** Bought and not sold yet. */
  heldRaw: bigint
  /** Cost of the held amount. */
  costUsdE8: bigint
  /** Realized profit: proceeds minus cost. */
  profitUsdE8: bigint
  /** Cost of the sold amount. */
  soldCostUsdE8: bigint
  /** Sold without a known purchase: no cost and no profit. */
  uncoveredRaw: bigint
}

export const emptyPosition: Readonly<Position> = {
  buyCount: 0,
  sellCount: 0,
  boughtRaw: 0n,
  soldRaw: 0n,
  boughtUsdE8: 0n,
  soldUsdE8: 0n,
  maxBuyUsdE8: 0n,
  maxSellUsdE8: 0n,
  firstBuyS: 0,
  lastBuyS: 0,
  firstSellS: 0,
  lastSellS: 0,
  heldRaw: 0n,
  costUsdE8: 0n,
  profitUsdE8: 0n,
  soldCostUsdE8: 0n,
  uncoveredRaw: 0n,
}

/**
 * The position after one more trade, oldest first. Divisions round down, and the remainder stays
 * with the held amount, so no cost is lost or created. A buy without a price adds no cost; a sale
 * without a price removes its part of the cost.
 */
export function positionAfterTrade(position: Readonly<Position>, trade: PositionTrade): Position {
  return trade.isBuy ? withBuy(position, trade) : withSale(position, trade)
}

function withBuy(position: Readonly<Position>, trade: PositionTrade): Position {
  const { amountRaw, usdE8, timeS } = trade
  const isPriced = usdE8 > 0n
  return {
    ...position,
    buyCount: position.buyCount + 1,
    boughtRaw: position.boughtRaw + amountRaw,
    boughtUsdE8: position.boughtUsdE8 + usdE8,
    maxBuyUsdE8: largerOf(position.maxBuyUsdE8, usdE8),
    firstBuyS: position.firstBuyS || timeS,
    lastBuyS: timeS,
    heldRaw: position.heldRaw + (isPriced ? amountRaw : 0n),
    costUsdE8: position.costUsdE8 + usdE8,
  }
}

function withSale(position: Readonly<Position>, trade: PositionTrade): Position {
  const { amountRaw, usdE8, timeS } = trade
  const { heldRaw, costUsdE8 } = position
  const coveredRaw = amountRaw < heldRaw ? amountRaw : heldRaw
  const takenE8 = heldRaw === 0n ? 0n : (costUsdE8 * coveredRaw) / heldRaw
  const isPriced = usdE8 > 0n
  const proceedsE8 = (usdE8 * coveredRaw) / amountRaw
  return {
    ...position,
    sellCount: position.sellCount + 1,
    soldRaw: position.soldRaw + amountRaw,
    soldUsdE8: position.soldUsdE8 + usdE8,
    maxSellUsdE8: largerOf(position.maxSellUsdE8, usdE8),
    firstSellS: position.firstSellS || timeS,
    lastSellS: timeS,
    heldRaw: heldRaw - coveredRaw,
    costUsdE8: costUsdE8 - takenE8,
    profitUsdE8: position.profitUsdE8 + (isPriced ? proceedsE8 - takenE8 : 0n),
    soldCostUsdE8: position.soldCostUsdE8 + (isPriced ? takenE8 : 0n),
    uncoveredRaw: position.uncoveredRaw + (amountRaw - coveredRaw),
  }
}

function largerOf(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
