/**
 * Places of the `max` largest values, largest first; equal ones by `idOf`, smallest first. Finds the least value that is
 * kept before it sorts: most of a long list is never compared.
 */
export function keepLargest(
  values: Float64Array,
  max: number,
  idOf: (place: number) => number,
): number[] {
  if (max <= 0) return []
  const least = max < values.length ? largestAt(values.slice(), max - 1) : Number.NEGATIVE_INFINITY
  const kept: number[] = []
  for (let place = 0; place < values.length; place += 1)
    if (values[place]! >= least) kept.push(place)
  // Numbers alone are sorted many times faster than with a comparison, and each finds its place among them.
  const sorted = new Float64Array(kept.length)
  for (let index = 0; index < kept.length; index += 1) sorted[index] = -values[kept[index]!]!
  sorted.sort()
  const places = new Array<number>(kept.length).fill(0)
  /** How many of the equal values that begin here have their place. */
  const taken = new Uint32Array(kept.length)
  for (const place of kept) {
    const first = lowerBound(sorted, -values[place]!)
    places[first + taken[first]!] = place
    taken[first]! += 1
  }
  for (let first = 0; first < places.length; first += taken[first]!) {
    const count = taken[first]!
    if (count === 1) continue
    const equal = places.slice(first, first + count).sort((a, b) => idOf(a) - idOf(b))
    for (let index = 0; index < count; index += 1) places[first + index] = equal[index]!
  }
  // Several may be equal to the least.
  if (places.length > max) places.length = max
  return places
}

function lowerBound(sorted: Float64Array, value: number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (sorted[middle]! < value) low = middle + 1
    else high = middle
  }
  return low
}

/** The value at `index` of the descending order. Moves the values about. */
function largestAt(values: Float64Array, index: number): number {
  let low = 0
  let high = values.length - 1
  while (low < high) {
    const pivot = values[(low + high) >>> 1]!
    let left = low
    let right = high
    while (left <= right) {
      while (values[left]! > pivot) left += 1
      while (values[right]! < pivot) right -= 1
      if (left > right) break
      const moved = values[left]!
      values[left] = values[right]!
      values[right] = moved
      left += 1
      right -= 1
    }
    if (index <= right) high = right
    else if (index >= left) low = left
    else return values[index]!
  }
  return values[low]!
}
