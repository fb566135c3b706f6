import { createRandom } from '../random.ts'

const stepS = 10

// About 1.5 in an hour: visible in a chart, and slow enough for the crowd to follow.
const stepMax = 0.14

/** Largest distance from the start, to either side. */
export const walkMax = 3

/**
 * Position of a random walk after a time: independent steps from 0, reflected at `walkMax`. It
 * follows from seed and time alone, so a rebuilt or reorganized chain continues it.
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
