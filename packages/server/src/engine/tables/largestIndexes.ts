/**
 * Positions of the `max` largest values, largest first; equal values by `idOf`, smallest first. It
 * finds the smallest value that is kept before it sorts, so most values of a long list are never
 * compared, nor are the many that equal the smallest.
 */
export function largestIndexes(
  values: Float64Array,
  max: number,
  idOf: (place: number) => number,
): number[] {
  const count = Math.min(max, values.length)
  if (count <= 0) return []
  const least = largestAt(values.slice(), count - 1)
  const places = new Array<number>(count).fill(0)
  const largerCount = sortLarger(values, least, places, idOf)
  const equal = indexesOfValue(values, least, idOf)
  for (let at = largerCount; at < count; at += 1) places[at] = equal[at - largerCount]!
  return places
}

/**
 * Writes the positions of values above `least` to the start of `places`, largest first. Returns
 * their number.
 */
function sortLarger(
  values: Float64Array,
  least: number,
  places: number[],
  idOf: (place: number) => number,
): number {
  // Sorts the bare numbers, many times faster than with a comparator, then finds each value's rank
  // by binary search.
  const sorted = new Float64Array(places.length)
  let count = 0
  for (let place = 0; place < values.length; place += 1)
    if (values[place]! > least) sorted[count++] = -values[place]!
  const larger = sorted.subarray(0, count).sort()
  /** Indexed by rank: how many of the equal values that start at this rank are placed already. */
  const taken = new Uint32Array(count)
  for (let place = 0; place < values.length; place += 1) {
    if (values[place]! <= least) continue
    const first = lowerBound(larger, -values[place]!)
    places[first + taken[first]!] = place
    taken[first]! += 1
  }
  for (let first = 0; first < count; first += taken[first]!) {
    if (taken[first] === 1) continue
    const equal = places.slice(first, first + taken[first]!).sort((a, b) => idOf(a) - idOf(b))
    for (let index = 0; index < equal.length; index += 1) places[first + index] = equal[index]!
  }
  return count
}

/** Positions of all values equal to `value`, ordered by id. */
function indexesOfValue(
  values: Float64Array,
  value: number,
  idOf: (place: number) => number,
): Uint32Array {
  const places = new Uint32Array(values.length)
  let count = 0
  let lastId = Number.NEGATIVE_INFINITY
  let isById = true
  for (let place = 0; place < values.length; place += 1) {
    if (values[place] !== value) continue
    const id = idOf(place)
    isById &&= id > lastId
    lastId = id
    places[count] = place
    count += 1
  }
  const found = places.subarray(0, count)
  // Nearly all lists are ordered by id already and need no sort.
  return isById ? found : found.sort((a, b) => idOf(a) - idOf(b))
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

/** The value at `index` of the descending order, found by quickselect. Reorders the array. */
export function largestAt(values: Float64Array, index: number): number {
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
