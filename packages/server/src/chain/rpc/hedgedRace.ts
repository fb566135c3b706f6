import { setMaxListeners } from 'node:events'

type HedgedRaceOptions<answer> = {
  /** Time without an answer after which the request also starts at the next endpoint. */
  hedgeAfterMs: number
  /**
   * Returns whether this runner may start as a hedge now. Repeated after the same delay; otherwise
   * the runner starts only when all earlier ones have failed.
   */
  canHedge: (runner: number) => boolean
  isGood: (answer: answer) => boolean
  onHedge: (runner: number) => void
  signal: AbortSignal | undefined
}

const raceOver = 'Another was first'

/**
 * Produces an answer. Calls `onGoing` once it waits for the other side instead of its own queue.
 */
type Runner<answer> = (signal: AbortSignal, onGoing: () => void) => Promise<answer>

/**
 * Runs one runner after another until a good answer: the next one starts when the last fails or
 * takes long. Aborts the losers. Returns all answers so far, the good one last.
 */
export function hedgedRace<answer>(
  runners: readonly Runner<answer>[],
  options: HedgedRaceOptions<answer>,
): Promise<answer[]> {
  const { hedgeAfterMs, canHedge, isGood, signal } = options
  return new Promise((resolve, reject) => {
    const answers: answer[] = []
    const losers = new AbortController()
    // A runner may have many requests in flight, each with a listener.
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
      // Aborted with a shared reason: the default is an error with a stack, created for every
      // request.
      losers.abort(raceOver)
      settle()
    }

    function startTimer(): void {
      if (started >= runners.length) return
      timer = setTimeout(() => {
        if (!canHedge(started)) return startTimer()
        options.onHedge(started)
        startNext()
      }, hedgeAfterMs)
    }

    function startNext(): void {
      const runner = runners[started]!
      started += 1
      running += 1
      clearTimeout(timer)
      const place = started
      runner(losers.signal, () => {
        if (!isOver && started === place) startTimer()
      }).then(
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
