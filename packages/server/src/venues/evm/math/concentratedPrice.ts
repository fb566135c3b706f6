const maxTick = 887_272n
const q32 = 1n << 32n
const q96 = 1n << 96n
const uint160End = 1n << 160n
const uint256Max = (1n << 256n) - 1n
// A power of two, so dividing by it is exact.
const two96 = 2 ** 96

/** sqrt(1.0001 ^ -(2 ^ i)) in fixed point of 128 bits, as in the contracts. */
const factors = [
  0xfffcb933bd6fad37aa2d162d1a594001n,
  0xfff97272373d413259a46990580e213an,
  0xfff2e50f5f656932ef12357cf3c7fdccn,
  0xffe5caca7e10e4e61c3624eaa0941cd0n,
  0xffcb9843d60f6159c9db58835c926644n,
  0xff973b41fa98c081472e6896dfb254c0n,
  0xff2ea16466c96a3843ec78b326b52861n,
  0xfe5dee046a99a2a811c461f1969c3053n,
  0xfcbe86c7900a88aedcffc83b479aa3a4n,
  0xf987a7253ac413176f2b074cf7815e54n,
  0xf3392b0822b70005940c7a398e4b70f3n,
  0xe7159475a2c29b7443b29c7fa6e889d9n,
  0xd097f3bdfd2022b8845ad8f792aa5825n,
  0xa9f746462d870fdf8a65dc1f90e061e5n,
  0x70d869a156d2a1b890bb3df62baf32f7n,
  0x31be135f97d08fd981231505542fcfa6n,
  0x9aa508b5b7a84e1c677de54f3e99bc9n,
  0x5d6af8dedb81196699c329225ee604n,
  0x2216e584f5fa1ea926041bedfe98n,
  0x48a170391f7dc42444e8fa2n,
]

/**
 * Square root of the price at a tick, in fixed point of 96 bits, rounded like the pools do. Null if
 * the tick does not exist.
 */
export function sqrtPriceAtTick(tick: bigint): bigint | null {
  const distance = tick < 0n ? -tick : tick
  if (distance > maxTick) return null
  let ratio = 1n << 128n
  for (const [bit, factor] of factors.entries())
    if ((distance >> BigInt(bit)) & 1n) ratio = (ratio * factor) >> 128n
  if (tick > 0n) ratio = uint256Max / ratio
  return (ratio + q32 - 1n) / q32
}

/**
 * Token amounts of liquidity between two ticks at a price: rounded up when added, down when
 * removed, as the pools do. Null if a tick does not exist.
 */
export function amountsOfLiquidity(
  liquidityDelta: bigint,
  [tickLower, tickUpper]: readonly [bigint, bigint],
  sqrtPrice: bigint,
): { amount0: bigint; amount1: bigint } | null {
  const [lower, upper] = [sqrtPriceAtTick(tickLower), sqrtPriceAtTick(tickUpper)]
  if (lower === null || upper === null || lower >= upper) return null
  const isUp = liquidityDelta > 0n
  const liquidity = isUp ? liquidityDelta : -liquidityDelta
  const price = sqrtPrice < lower ? lower : sqrtPrice > upper ? upper : sqrtPrice
  const amount0 = dividedBy(
    dividedBy((liquidity << 96n) * (upper - price), upper, isUp),
    price,
    isUp,
  )
  return { amount0, amount1: dividedBy(liquidity * (price - lower), q96, isUp) }
}

function dividedBy(numerator: bigint, denominator: bigint, isUp: boolean): bigint {
  return (numerator + (isUp ? denominator - 1n : 0n)) / denominator
}

/**
 * (sqrtPriceX96 / 2^96)^2 within 2 ulp: rounding to a double and squaring cost at most 1.42 and
 * 0.5. Null if it is not a valid root of a price.
 */
export function priceOf(sqrtPriceX96: bigint): number | null {
  if (sqrtPriceX96 === 0n || sqrtPriceX96 >= uint160End) return null
  const sqrtPrice = Number(sqrtPriceX96) / two96
  return sqrtPrice * sqrtPrice
}
