// The programs' swap formulas. Each check returns sentences about a swap that the program could not
// have made.

type CpmmStep = { into: bigint; out: bigint; before: { in: bigint; out: bigint }; fee: bigint }

/** Constant product of the input after the fee, rounded down. */
export function checkCpmm(pool: string, { into, out, before, fee }: CpmmStep): string[] {
  const net = into - fee
  const computed = (net * before.out) / (before.in + net)
  return differs(`Pool ${pool} out`, computed, out)
}

type WhirlpoolStep = {
  isIn0: boolean
  net: bigint
  out: bigint
  rootBefore: bigint
  rootAfter: bigint
  /** Square root of the price after the previous swap; null before the first. */
  last: bigint | null
}

const two128 = 1n << 128n

/**
 * The average price of the swap must lie between the prices before and after, whatever the
 * liquidity. Each amount may be rounded by one.
 */
export function checkWhirlpool(pool: string, step: WhirlpoolStep): string[] {
  const { isIn0, net, out, rootBefore, rootAfter, last } = step
  const sentences = last === null ? [] : differs(`Pool ${pool} root before`, last, rootBefore)
  const [low, high] = isIn0 ? [rootAfter, rootBefore] : [rootBefore, rootAfter]
  // Amounts of token 0 and 1, before rounding.
  const [amount0, amount1] = isIn0 ? [net, out] : [out, net]
  const isDear = (amount1 - 1n) * two128 > (amount0 + 1n) * high * high
  const isCheap = (amount1 + 1n) * two128 < (amount0 - 1n) * low * low
  if (low > high || isDear || isCheap)
    sentences.push(
      `Pool ${pool} gave ${amount1} for ${amount0} between the roots ${low} and ${high}.`,
    )
  return sentences
}

export type PumpSwapStep = {
  isBuy: boolean
  base: bigint
  /** Amount into the vault for a purchase, out of it to the user for a sale. */
  quote: bigint
  virtual: bigint
  /** Fees that stay in the vault until they are swept. */
  kept: bigint
  /** Reserves before the swap. */
  reserves: readonly [bigint, bigint]
  /** Fees for the pool, the platform and the coin's creator. */
  fees: readonly [bigint, bigint, bigint]
}

/** Constant product; the buyer pays the rounding, and fees are taken from the quote amount. */
export function checkPumpSwap(pool: string, step: PumpSwapStep): string[] {
  const { isBuy, base, quote, virtual, kept, reserves, fees } = step
  const [reserve0, reserve1] = [reserves[0], reserves[1] + virtual]
  const [ofPool, ofPlatform, ofMaker] = fees
  if (isBuy) {
    const left = reserve0 - base
    const paid = (base * reserve1 + left - 1n) / left
    return differs(`Pool ${pool} quote in`, paid + ofPool + kept, quote)
  }
  const given = (base * reserve1) / (reserve0 + base)
  return differs(`Pool ${pool} quote out`, given - ofPool - ofPlatform - ofMaker, quote)
}

export type CurveStep = {
  isBuy: boolean
  tokens: bigint
  lamports: bigint
  /** Virtual reserves after the trade. */
  after: { sol: bigint; tokens: bigint }
  last: { sol: bigint; tokens: bigint } | null
}

/** Constant product of virtual reserves; the buyer pays one lamport for the rounding. */
export function checkCurve(curve: string, step: CurveStep): string[] {
  const { isBuy, tokens, lamports, after, last } = step
  const sign = isBuy ? 1n : -1n
  const before = { sol: after.sol - sign * lamports, tokens: after.tokens + sign * tokens }
  const computed = isBuy
    ? (tokens * before.sol) / (before.tokens - tokens) + 1n
    : (tokens * before.sol) / (before.tokens + tokens)
  return [
    ...differs(`Curve ${curve} lamports`, computed, lamports),
    ...(last === null
      ? []
      : [
          ...differs(`Curve ${curve} virtual lamports before`, last.sol, before.sol),
          ...differs(`Curve ${curve} virtual tokens before`, last.tokens, before.tokens),
        ]),
  ]
}

function differs(what: string, computed: bigint, actual: bigint): string[] {
  return computed === actual ? [] : [`${what}: computed ${computed}, the chain says ${actual}.`]
}
