import { createWaitingWork, type Work } from './waitingWork.ts'

type TurnsOptions = {
  /** Time that requests may take of the loop before blocks and pushes get it again. */
  turnMs: number
  /** Requests that may wait for their turn. */
  waitingMax: number
}

/** Shares the loop between requests and the market: however many come at once, a block waits for one turn at most. */
export type Turns = {
  /** Runs the work now, or later when this turn's time is used up. Throws `unavailable` when too much waits. */
  take(work: Work): void
  /** The same for callers nobody knows: they wait for all others, but for one in each turn. */
  takeLast(work: Work): void
  /** Would work be run now? */
  isFree(): boolean
  /** Is the time of this turn used up? */
  isOver(): boolean
  /** For work that is too long for one turn: its place among the others, by when it began. */
  place(): number
  /**
   * Resolves in a later turn. Work that began first goes on first, so that it ends before the next one gathers much: what
   * many unfinished answers hold would have to be moved by every collection of garbage.
   */
  next(place: number): Promise<void>
}

const turnDefaults: TurnsOptions = {
  // A block takes about as long itself, so that waiting for a turn does not double it.
  turnMs: 2,
  // Thousands of clients at once; each waiting request holds a few kilobytes.
  waitingMax: 20_000,
}

// Where a turn takes this many times as long as it should, garbage is being collected. In a flood more of it comes of requests
// than of blocks, so these wait for as long again and leave the loop to the market.
const longTurns = 4
const restMsMax = 50
// A flood: requests have waited for so many turns without end. A few that come after a long turn need no rest after it.
const floodTurns = 16

type LongWork = { place: number; goOn: Work }

export function createTurns({ turnMs, waitingMax }: TurnsOptions = turnDefaults): Turns {
  const waiting = createWaitingWork(waitingMax)
  /** By place, the last to begin first. */
  const long: LongWork[] = []
  let places = 0
  let startMs = 0
  let isRunning = false
  let isLongDue = false
  let isRested = false
  /** One after another at whose end something waited. */
  let fullTurns = 0

  function begin(): void {
    isRunning = true
    startMs = performance.now()
    setImmediate(runTurn)
  }

  const isOver = () => isRunning && performance.now() - startMs >= turnMs

  /** After the loop has looked at its sockets and messages once. */
  function runTurn(): void {
    isRunning = false
    fullTurns = waiting.isEmpty() && long.length === 0 ? 0 : fullTurns + 1
    if (fullTurns === 0) return
    const lastedMs = performance.now() - startMs
    if (!isRested && fullTurns >= floodTurns && lastedMs > turnMs * longTurns) {
      isRunning = true
      isRested = true
      setTimeout(runTurn, Math.min(lastedMs, restMsMax))
      return
    }
    isRested = false
    begin()
    // New work and work that goes on have every other turn.
    if (long.length === 0 || (!waiting.isEmpty() && !isLongDue)) waiting.run(() => !isOver())
    if (long.length === 0 || isOver()) isLongDue = true
    else {
      isLongDue = false
      // It goes on when we return, and has the rest of this turn.
      long.pop()!.goOn()
    }
  }

  function wait(push: (work: Work) => void, work: Work): void {
    push(work)
    if (!isRunning) begin()
  }

  function runNow(work: Work): void {
    if (!isRunning) begin()
    work()
  }

  const isFree = () => !waiting.hasFirst() && !isOver()

  return {
    isOver,
    isFree,
    take: (work) => (isFree() ? runNow(work) : wait(waiting.push, work)),
    takeLast: (work) =>
      isFree() && waiting.isEmpty() ? runNow(work) : wait(waiting.pushLast, work),
    place() {
      places += 1
      return places
    },
    next: (place) =>
      new Promise((resolve) => {
        if (!isRunning) begin()
        let at = long.length
        while (at > 0 && long[at - 1]!.place < place) at -= 1
        long.splice(at, 0, { place, goOn: resolve })
      }),
  }
}
