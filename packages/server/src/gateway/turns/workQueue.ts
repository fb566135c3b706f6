export type Work = () => void

/** What waits, in the order it came. */
export type WorkQueue = {
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
