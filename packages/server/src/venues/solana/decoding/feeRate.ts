const wholeBps = 10_000n

/**
 * What was withheld of each transfer of a sum that is known. A mint has one rate at a time and rounds up, and every fee grows
 * with the rate: rates that make the same sum make the same fees. Where no rate makes it the mint has a highest fee: all of
 * them are taken for that, or else each for its part of the sum.
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

/** The lowest whose fees make at least the sum. */
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

/** By amount, and exactly the sum. */
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
