import { setMaxListeners } from 'node:events'

export type HedgedRaceOptions<answer> = {
  /** From when a runner has got going until the next one starts although it has not finished. */
  hedgeAfterMs: number
  /** May this one start now? Asked again after as long; else it starts only when all before it have failed. */
  canHedge: (runner: number) => boolean
  isGood: (answer: answer) => boolean
  onHedge: (runner: number) => void
  signal: AbortSignal | undefined
}

const raceOver = 'Another was first'

/** Calls `onGoing` once what it does takes the other side's time, not its own waiting. */
type Runner<answer> = (signal: AbortSignal, onGoing: () => void) => Promise<answer>

/**
 * Runs one after another until one gives a good answer: the next starts when the last fails or takes
 * long. The losers are aborted. Gives all answers so far, the good one last.
 */
export function hedgedRace<answer>(
  runners: readonly Runner<answer>[],
  options: HedgedRaceOptions<answer>,
): Promise<answer[]> {
  const { hedgeAfterMs, canHedge, isGood, signal } = options
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
