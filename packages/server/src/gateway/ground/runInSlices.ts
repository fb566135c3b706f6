import type { MarketReads } from '../../engine/marketReads.ts'
import type { Scheduler } from './scheduler.ts'

/**
 * Called between two steps of long work. Null: continue. A promise: the time of this slot is used
 * up, so await it. If it resolves to false, blocks that the work has read were reverted: stop and
 * return null.
 */
export type PauseCheck = () => Promise<boolean> | null

/** A chain whose market the work reads. */
type ReadChain = { reads: Pick<MarketReads, 'revertCount'> }

// A reorg while a list is built is rare, and another right after it rarer.
const attemptsMax = 3

/**
 * Runs work that is too long for one slot of the scheduler. The market may grow between steps, so
 * each step reads it again. Ids stay valid, because work that a reorg interrupts is restarted.
 */
export async function runInSlices<result>(
  scheduler: Scheduler,
  chains: readonly ReadChain[],
  work: (pause: PauseCheck) => Promise<result | null> | result | null,
): Promise<result> {
  const position = scheduler.newPosition()
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const result = await work(createPause(scheduler, position, chains))
    if (result !== null) return result
  }
  // The last attempt runs without pauses, so no reorg can interrupt it.
  return (await work(() => null)) as result
}

function createPause(
  scheduler: Scheduler,
  position: number,
  chains: readonly ReadChain[],
): PauseCheck {
  const reverts = chains.map(({ reads }) => reads.revertCount())
  // Other requests and new blocks may have run during the pause. Only a revert makes the work
  // invalid.
  const isValid = () => chains.every(({ reads }, at) => reads.revertCount() === reverts[at])
  return () => (scheduler.isSlotOver() ? scheduler.nextSlot(position).then(isValid) : null)
}
