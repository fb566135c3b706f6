import { setMaxListeners } from 'node:events'

export type HedgedRaceOptions<answer> = {
  /** Until the next runner starts although the last one has not finished. */
  hedgeAfterMs: number
  /** Runners beyond this many start only when all before them have failed. */
  hedgesMax: number
  isGood: (answer: answer) => boolean
  onHedge: (runner: number) => void
  signal: AbortSignal | undefined
}

const raceOver = 'Another was first'

/**
 * Runs one after another until one gives a good answer: the next starts when the last fails or takes
 * long. The losers are aborted. Gives all answers so far, the good one last.
 */
export function hedgedRace<answer>(
  runners: readonly ((signal: AbortSignal) => Promise<answer>)[],
  options: HedgedRaceOptions<answer>,
): Promise<answer[]> {
  const { hedgeAfterMs, hedgesMax, isGood, signal } = options
  return new Promise((resolve, reject) => {
    const answers: answer[] = []
    const losers = new AbortController()
    // One runner may have many requests under way.
    setMaxListeners(0, losers.signal)
    const onAbort = () => losers.abort()
    let started = 0
    let running = 0
    let isOver = false
    let timer: NodeJS.Timeout | undefined

    function end(settle: () => void): void {
      isOver = true
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
      // With a reason of its own: the default one is an error with a stack, made for every request.
      losers.abort(raceOver)
      settle()
    }

    function startNext(): void {
      const runner = runners[started]!
      started += 1
      running += 1
      clearTimeout(timer)
      if (started < Math.min(runners.length, hedgesMax))
        timer = setTimeout(() => {
          options.onHedge(started)
          startNext()
        }, hedgeAfterMs)
      runner(losers.signal).then(
        (answer) => {
          if (isOver) return
          running -= 1
          answers.push(answer)
          if (isGood(answer)) end(() => resolve(answers))
          else if (started < runners.length) startNext()
          else if (running === 0) end(() => resolve(answers))
        },
        (error: unknown) => {
          if (!isOver) end(() => reject(error))
        },
      )
    }

    signal?.addEventListener('abort', onAbort, { once: true })
    if (signal?.aborted) losers.abort()
    if (runners.length === 0) end(() => resolve(answers))
    else startNext()
  })
}
