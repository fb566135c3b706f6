/** numerator / denominator as a double, within 2.5 ulp; null if one side is zero. */
export function ratioOf(numerator: bigint, denominator: bigint): number | null {
  if (numerator === 0n || denominator === 0n) return null
  return Number(numerator) / Number(denominator)
}
