import { RequestError } from '../errors.ts'

export type Work = () => void

/** What waits, in the order it came. */
type WorkQueue = {
  count(): number
  push(work: Work): void
  /** The first. There must be one. */
  shift(): Work
}

/**
 * Lets go of each as it is taken: a queue that is never empty for long would otherwise hold on to the body of every request
 * that it ever had.
 */
export function createWorkQueue(): WorkQueue {
  let coming: Work[] = []
  /** The first of them last. */
  let leaving: Work[] = []
  return {
    count: () => coming.length + leaving.length,
    push: (work) => void coming.push(work),
    shift() {
      if (leaving.length === 0) [leaving, coming] = [coming.reverse(), leaving]
      return leaving.pop()!
    },
  }
}

/** What waits for a turn: in the order it came, and behind it what is done for callers nobody knows. */
export type WaitingWork = {
  isEmpty(): boolean
  /** Does anything but the work of strangers wait? */
  hasFirst(): boolean
  /** Throws `unavailable` when too much waits; the two do not count together. */
  push(work: Work): void
  pushLast(work: Work): void
  /** Does it as long as there is time. Of the last at least one, so that nobody waits for ever. */
  run(isTimeLeft: () => boolean): void
}

export function createWaitingWork(countMax: number): WaitingWork {
  const first = createWorkQueue()
  const last = createWorkQueue()

  function push(to: typeof first, work: Work): void {
    if (to.count() >= countMax)
      throw new RequestError('unavailable', 'Too many requests wait here; try again soon.')
    to.push(work)
  }

  return {
    isEmpty: () => first.count() === 0 && last.count() === 0,
    hasFirst: () => first.count() > 0,
    push: (work) => push(first, work),
    pushLast: (work) => push(last, work),
    run(isTimeLeft) {
      // The first of a turn is done whatever the clock says.
      if (first.count() > 0)
        do first.shift()()
        while (first.count() > 0 && isTimeLeft())
      if (last.count() > 0)
        do last.shift()()
        while (last.count() > 0 && isTimeLeft())
    },
  }
}
