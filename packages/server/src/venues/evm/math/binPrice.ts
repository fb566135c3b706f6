const one = 1n << 128n
const uint256Max = (1n << 256n) - 1n
/** The bin in which both tokens are worth the same. */
const evenBin = 1n << 23n
const exponentEnd = 1n << 20n
const stepUnit = 10_000n

/**
 * Raw Y per raw X in a bin: (1 + binStep / 10,000) ^ (id - 2^23), rounded as the contracts of Liquidity Book do in fixed
 * point of 128 bits, so that every machine gets the same. Null: no bin that a pool can be in.
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
