const one = 1n << 128n
const uint256Max = (1n << 256n) - 1n
/** The bin with a price of 1. */
const evenBin = 1n << 23n
const exponentEnd = 1n << 20n
const stepUnit = 10_000n

/**
 * Raw Y per raw X in a bin: (1 + binStep / 10,000) ^ (id - 2^23), in fixed point of 128 bits and
 * rounded like Liquidity Book's contracts, so that every machine gets the same. Null if no pool can
 * be in the bin.
 */
export function binPrice(id: bigint, binStep: bigint): number | null {
  const power = id - evenBin
  let exponent = power < 0n ? -power : power
  if (exponent >= exponentEnd || binStep <= 0n) return null
  let isInverted = power < 0n
  let square = one + (binStep << 128n) / stepUnit
  if (square >= one) {
    square = uint256Max / square
    isInverted = !isInverted
  }
  let result = one
  for (; exponent > 0n; exponent >>= 1n) {
    if (exponent & 1n) result = (result * square) >> 128n
    square = (square * square) >> 128n
  }
  if (result === 0n) return null
  return Number(isInverted ? uint256Max / result : result) / 2 ** 128
}
