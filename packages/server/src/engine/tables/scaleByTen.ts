// Parsed text gives the double nearest to each power of ten; repeated multiplication would drift.
const powers = Float64Array.from({ length: 309 }, (_, exponent) => Number(`1e${exponent}`))

/** value x 10^exponent, rounded once. */
export function scaleByTen(value: number, exponent: number): number {
  if (exponent >= 0) return value * powers[Math.min(exponent, 308)]!
  return value / powers[Math.min(-exponent, 308)]!
}
