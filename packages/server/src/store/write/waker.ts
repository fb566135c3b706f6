/** One waiter and those who wake it. */
export type Waker = {
  wake(): void
  /** Until `isDone` holds after a wake-up, or the time is over. It is not asked before the first one. */
  wait(isDone: () => boolean, timeMsMax?: number): Promise<void>
}

export function createWaker(): Waker {
  let wake: () => void = () => undefined
  return {
    wake: () => wake(),
    async wait(isDone, timeMsMax) {
      let timer: NodeJS.Timeout | undefined
      await new Promise<void>((resolve) => {
        if (timeMsMax !== undefined) timer = setTimeout(resolve, timeMsMax)
        wake = () => {
          if (isDone()) resolve()
        }
      })
      clearTimeout(timer)
    },
  }
}
