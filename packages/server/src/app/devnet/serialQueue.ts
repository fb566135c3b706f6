/** Runs tasks one after another, in the order they were added. */
type SerialQueue = {
  add(work: () => Promise<void>): void
  isIdle(): boolean
  /** Resolves when all added tasks have ended. */
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
