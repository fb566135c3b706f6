const wholeBps = 10_000n

/**
 * Splits a known sum of transfer fees over transfers. A mint has one rate at a time and rounds up,
 * and every fee grows with the rate, so rates with the same sum have the same fees. If no rate
 * gives the sum, the mint has a maximum fee: assumes it for all, or else splits by amount.
 */
export function shareByRate(amounts: readonly bigint[], sum: bigint): readonly bigint[] {
  if (amounts.length === 1) return [sum]
  const byRate = feesAt(lowestRate(amounts, sum), amounts)
  if (sumOf(byRate) === sum) return byRate
  const highest = sum / BigInt(amounts.length)
  const isHighest = highest * BigInt(amounts.length) === sum
  if (isHighest && amounts.every((amount) => amount >= highest)) return amounts.map(() => highest)
  return partsOf(amounts, sum)
}

/** The lowest rate whose fees reach the sum. */
function lowestRate(amounts: readonly bigint[], sum: bigint): bigint {
  let [low, high] = [0n, wholeBps]
  while (low < high) {
    const middle = (low + high) / 2n
    if (sumOf(feesAt(middle, amounts)) >= sum) high = middle
    else low = middle + 1n
  }
  return low
}

function feesAt(bps: bigint, amounts: readonly bigint[]): readonly bigint[] {
  return amounts.map((amount) => (amount * bps + wholeBps - 1n) / wholeBps)
}

/** Splits the sum exactly, by amount. */
function partsOf(amounts: readonly bigint[], sum: bigint): readonly bigint[] {
  let [left, rest] = [sum, sumOf(amounts)]
  return amounts.map((amount) => {
    const part = rest === 0n ? 0n : (left * amount) / rest
    left -= part
    rest -= amount
    return part
  })
}

function sumOf(values: readonly bigint[]): bigint {
  return values.reduce((sum, value) => sum + value, 0n)
}
