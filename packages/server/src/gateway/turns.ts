import { RequestError } from './errors.ts'

export type TurnsOptions = {
  /** Time that requests may take of the loop before blocks and pushes get it again. */
  turnMs: number
  /** Requests that may wait for their turn. */
  waitingMax: number
}

/** Shares the loop between requests and the market: however many come at once, a block waits for one turn at most. */
export type Turns = {
  /** Runs the work now, or later when this turn's time is used up. Throws `unavailable` when too much waits. */
  take(work: () => void): void
  /** Is the time of this turn used up? */
  isOver(): boolean
  /** Resolves in a later turn, for work that is too long for one. */
  next(): Promise<void>
}

export const turnDefaults: TurnsOptions = {
  // A block takes about as long itself, so that waiting for a turn does not double it.
  turnMs: 2,
  // Thousands of clients at once; each waiting request holds a few kilobytes.
  waitingMax: 20_000,
}

type Waiting = { work: () => void; isLong: boolean }

export function createTurns({ turnMs, waitingMax }: TurnsOptions = turnDefaults): Turns {
  let waiting: Waiting[] = []
  let first = 0
  let startMs = 0
  let isRunning = false

  function begin(): void {
    isRunning = true
    startMs = performance.now()
    setImmediate(turn)
  }

  /** After the loop has looked at its sockets and messages once. */
  function turn(): void {
    isRunning = false
    if (first === waiting.length) return
    begin()
    let isLong: boolean
    do {
      const next = waiting[first]!
      first += 1
      next.work()
      // Long work goes on when we return, and has the rest of this turn.
      isLong = next.isLong
    } while (!isLong && first < waiting.length && performance.now() - startMs < turnMs)
    if (first === waiting.length) {
      waiting = []
      first = 0
    }
  }

  const isOver = () => isRunning && performance.now() - startMs >= turnMs

  function wait(next: Waiting): void {
    if (!isRunning) begin()
    waiting.push(next)
  }

  return {
    isOver,
    take(work) {
      if (first === waiting.length && !isOver()) {
        if (!isRunning) begin()
        work()
        return
      }
      if (waiting.length - first >= waitingMax)
        throw new RequestError('unavailable', 'Too many requests wait here; try again soon.')
      wait({ work, isLong: false })
    },
    next: () => new Promise((resolve) => wait({ work: resolve, isLong: true })),
  }
}
