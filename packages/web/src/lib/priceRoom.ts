type Scaled = { priceRange: { minValue: number; maxValue: number } | null }

/**
 * Equal prices have no height: they are drawn in the middle of a range of one percent above and
 * below.
 */
export function withRoom<scaled extends Scaled>(info: scaled | null): scaled | null {
  const range = info?.priceRange
  if (!info || !range) return info
  const { minValue, maxValue } = range
  const room = Math.abs(maxValue) / 100
  if (maxValue - minValue > room / 1_000) return info
  return { ...info, priceRange: { minValue: minValue - room, maxValue: maxValue + room } }
}
