// Parsed text is the double nearest to the power; a product of tens would drift.
const powers = Float64Array.from({ length: 309 }, (_, exponent) => Number(`1e${exponent}`))

/** value x 10^exponent with one rounding. */
export function scaleByTen(value: number, exponent: number): number {
  if (exponent >= 0) return value * powers[Math.min(exponent, 308)]!
  return value / powers[Math.min(-exponent, 308)]!
}
