/** Runs work in the order it was given, one after the other. */
type SerialQueue = {
  add(work: () => Promise<void>): void
  isIdle(): boolean
  /** Resolves when all that was given has ended. */
  idle(): Promise<void>
}

export function createSerialQueue(onError: (error: unknown) => void): SerialQueue {
  let last: Promise<void> = Promise.resolve()
  let count = 0
  return {
    add(work) {
      count += 1
      last = last
        .then(work)
        .catch(onError)
        .finally(() => {
          count -= 1
        })
    },
    isIdle: () => count === 0,
    idle: () => last,
  }
}
