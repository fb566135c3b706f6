import type { MarketReads } from '../../engine/marketReads.ts'
import type { Scheduler } from './scheduler.ts'

/** Work in short steps, which can pause after each step and continue later. */
export type Steps<result> = Generator<void, result, void>

// Reading the clock and pausing cost a fraction of the work for one item of a request.
export const itemsPerStep = 32

/**
 * Runs steps in this slot and, if its time is used up, in later slots. The result is then a
 * promise, which resolves to null if the work was no longer wanted. `position` orders the work
 * among other long work, by when it began.
 */
export function runSteps<result>(
  steps: Steps<result>,
  scheduler: Scheduler,
  position: number,
  isStillWanted: () => boolean,
): { result: result } | Promise<{ result: result } | null> {
  return (
    runUntilSlotEnds(steps, scheduler) ?? continueSteps(steps, scheduler, position, isStillWanted)
  )
}

async function continueSteps<result>(
  steps: Steps<result>,
  scheduler: Scheduler,
  position: number,
  isStillWanted: () => boolean,
): Promise<{ result: result } | null> {
  for (;;) {
    await scheduler.nextSlot(position)
    if (!isStillWanted()) {
      steps.return(undefined as never)
      return null
    }
    const done = runUntilSlotEnds(steps, scheduler)
    if (done !== null) return done
  }
}

/** Runs steps until they are done or the slot's time is used up. Null: steps remain. */
function runUntilSlotEnds<result>(
  steps: Steps<result>,
  scheduler: Scheduler,
): { result: result } | null {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return { result: step.value }
    if (scheduler.isSlotOver()) return null
  }
}

/** Encodes a value as JSON, its long lists in several steps. */
export function* encodeJsonInSteps(value: unknown): Steps<string> {
  if (Array.isArray(value)) return yield* encodeList(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members: string[] = []
  for (const [name, member] of Object.entries(value))
    if (member !== undefined)
      members.push(`${JSON.stringify(name)}:${yield* encodeJsonInSteps(member)}`)
  return `{${members.join()}}`
}

function* encodeList(list: readonly unknown[]): Steps<string> {
  const parts: string[] = []
  for (let at = 0; at < list.length; at += itemsPerStep) {
    if (at > 0) yield
    parts.push(JSON.stringify(list.slice(at, at + itemsPerStep)).slice(1, -1))
  }
  return `[${parts.join()}]`
}

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
