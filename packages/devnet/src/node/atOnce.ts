/** Runs tasks in their order of arrival, a limited number at a time. */
export type AtOnce = <T>(work: () => Promise<T>) => Promise<T>

export function createAtOnce(most: number): AtOnce {
  let running = 0
  const waiting: (() => void)[] = []

  async function begin(): Promise<void> {
    if (running < most) running += 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
  }

  // The slot goes directly to the longest waiting task.
  function end(): void {
    const next = waiting.shift()
    if (next) next()
    else running -= 1
  }

  return async (work) => {
    await begin()
    try {
      return await work()
    } finally {
      end()
    }
  }
}
