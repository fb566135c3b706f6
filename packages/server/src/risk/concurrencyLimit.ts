export type ConcurrencyLimit = {
  /** Gives the function that ends the turn, or null when too many wait already. */
  take(): Promise<(() => void) | null>
  waiting(): number
}

/** At most so many run at once; a bounded number waits in order. */
export function createConcurrencyLimit(options: {
  runningMax: number
  waitingMax: number
}): ConcurrencyLimit {
  const queue: (() => void)[] = []
  let free = options.runningMax

  function end(): void {
    const next = queue.shift()
    if (next) next()
    else free += 1
  }

  return {
    async take() {
      if (free > 0) free -= 1
      else if (queue.length >= options.waitingMax) return null
      else await new Promise<void>((resolve) => queue.push(resolve))
      let isHeld = true
      return () => {
        if (!isHeld) return
        isHeld = false
        end()
      }
    },
    waiting: () => queue.length,
  }
}
