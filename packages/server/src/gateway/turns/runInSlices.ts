import type { GatewayChain } from '../gatewayChain.ts'
import type { Turns } from './turns.ts'

/**
 * Called between two steps of long work. Null: go on. A promise: this turn's time was used up; wait for it, and when it
 * gives false the work is void and returns null, because blocks it has read were reverted meanwhile.
 */
export type Pause = () => Promise<boolean> | null

// A reorg while a list is made is rare, and another right after it rarer.
const attemptsMax = 3

/**
 * Does work that is too long for one turn. The market may grow under it, so each step must read what it says; ids stay
 * good, because work that a reorg interrupted is done again.
 */
export async function runInSlices<result>(
  turns: Turns,
  chains: readonly GatewayChain[],
  work: (pause: Pause) => Promise<result | null> | result | null,
): Promise<result> {
  const place = turns.place()
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const result = await work(createPause(turns, place, chains))
    if (result !== null) return result
  }
  // In one go: nothing can come between.
  return (await work(() => null)) as result
}

function createPause(turns: Turns, place: number, chains: readonly GatewayChain[]): Pause {
  const reverts = chains.map(({ reads }) => reads.revertCount())
  // Many requests may have had their turn meanwhile, and many blocks have come: only one reverted does harm.
  const isValid = () => chains.every(({ reads }, at) => reads.revertCount() === reverts[at])
  return () => (turns.isOver() ? turns.next(place).then(isValid) : null)
}
