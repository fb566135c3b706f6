type Scaled = { priceRange: { minValue: number; maxValue: number } | null }

/** Prices that are all the same have no height: they are drawn in the middle of a percent above and below. */
export function withRoom<scaled extends Scaled>(info: scaled | null): scaled | null {
  const range = info?.priceRange
  if (!info || !range) return info
  const { minValue, maxValue } = range
  const room = Math.abs(maxValue) / 100
  if (maxValue - minValue > room / 1_000) return info
  return { ...info, priceRange: { minValue: minValue - room, maxValue: maxValue + room } }
}
