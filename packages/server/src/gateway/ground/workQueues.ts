import { RequestError } from './errors.ts'

export type ScheduledWork = () => void

/** First-in first-out queue of work that waits for a slot. */
type WorkQueue = {
  count(): number
  push(work: ScheduledWork): void
  /** Removes and returns the first work. The queue must not be empty. */
  shift(): ScheduledWork
}

/**
 * Creates a queue that releases work as it is removed. A queue that rarely becomes empty would
 * otherwise keep the body of every request it ever held.
 */
export function createWorkQueue(): WorkQueue {
  let coming: ScheduledWork[] = []
  /** Work that leaves next, reversed so that `pop` removes the first. */
  let leaving: ScheduledWork[] = []
  return {
    count: () => coming.length + leaving.length,
    push: (work) => void coming.push(work),
    shift() {
      if (leaving.length === 0) [leaving, coming] = [coming.reverse(), leaving]
      return leaving.pop()!
    },
  }
}

/**
 * Work that waits for a slot, in order of arrival. Work of anonymous clients waits behind all other
 * work.
 */
export type WorkQueues = {
  isEmpty(): boolean
  /** Whether work of clients with a key waits, not only that of anonymous clients. */
  hasKeyedWork(): boolean
  /** Throws `unavailable` if too much work waits. Work of anonymous clients has its own limit. */
  push(work: ScheduledWork): void
  pushAnonymous(work: ScheduledWork): void
  /**
   * Runs waiting work while time is left. At least one piece of anonymous work runs, so that none
   * waits forever.
   */
  run(isTimeLeft: () => boolean): void
}

export function createWorkQueues(countMax: number): WorkQueues {
  const first = createWorkQueue()
  const last = createWorkQueue()

  function push(to: typeof first, work: ScheduledWork): void {
    if (to.count() >= countMax)
      throw new RequestError('unavailable', 'Too many requests wait here; try again soon.')
    to.push(work)
  }

  return {
    isEmpty: () => first.count() === 0 && last.count() === 0,
    hasKeyedWork: () => first.count() > 0,
    push: (work) => push(first, work),
    pushAnonymous: (work) => push(last, work),
    run(isTimeLeft) {
      // The first work of a slot runs even if no time is left.
      if (first.count() > 0)
        do first.shift()()
        while (first.count() > 0 && isTimeLeft())
      if (last.count() > 0)
        do last.shift()()
        while (last.count() > 0 && isTimeLeft())
    },
  }
}
