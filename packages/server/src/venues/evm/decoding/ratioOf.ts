/** numerator / denominator as a double, within 2.5 ulp; null where there is no price (one side is empty). */
export function ratioOf(numerator: bigint, denominator: bigint): number | null {
  if (numerator === 0n || denominator === 0n) return null
  return Number(numerator) / Number(denominator)
}
