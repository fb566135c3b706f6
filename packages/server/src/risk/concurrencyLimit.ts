export type ConcurrencyLimit = {
  /** Returns the function that releases the slot, or null if too many already wait. */
  take(): Promise<(() => void) | null>
  waiting(): number
}

/** At most `runningMax` run at once; at most `waitingMax` wait, first come first served. */
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
