import { createRandom } from '../random.ts'

const stepS = 10

// About 1.5 in an hour: a chart shows where it went, and no crowd is left far behind.
const stepMax = 0.14

/** How far it goes at most, to either side of where it began. */
export const walkMax = 3

/**
 * Where a random walk is after a time: from 0, in independent steps, turned back at `walkMax`. It follows from seed and
 * time alone, so a chain that is rebuilt or reorganised walks on as before.
 */
export function randomWalkAt(seed: string, ageS: number): number {
  const random = createRandom(seed)
  let place = 0
  for (let atS = stepS; atS <= ageS; atS += stepS) {
    place += stepMax * (2 * random.next() - 1)
    if (Math.abs(place) > walkMax) place = Math.sign(place) * 2 * walkMax - place
  }
  return place
}
