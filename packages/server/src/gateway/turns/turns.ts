import { createWaitingWork, type WaitingWork, type Work } from './waitingWork.ts'

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
// A flood: something has waited for so many turns without end. A few that come after a long turn need no rest after it.
const floodTurns = 16

type LongWork = { place: number; goOn: Work }

export function createTurns(options: TurnsOptions = turnDefaults): Turns {
  return new LoopTurns(options)
}

class LoopTurns implements Turns {
  readonly #turnMs: number
  readonly #waiting: WaitingWork
  /** By place, the last to begin first. */
  readonly #long: LongWork[] = []
  #places = 0
  #startMs = 0
  #isRunning = false
  #isLongDue = false
  #isRested = false
  /** One after another at whose end new work waited. */
  #fullTurns = 0
  /** The same of work that is too long for one turn. */
  #longFullTurns = 0
  #longRestsUntilMs = 0
  #isWakeSet = false

  constructor({ turnMs, waitingMax }: TurnsOptions) {
    this.#turnMs = turnMs
    this.#waiting = createWaitingWork(waitingMax)
  }

  take(work: Work): void {
    if (this.isFree()) this.#runNow(work)
    else this.#wait(this.#waiting.push, work)
  }

  takeLast(work: Work): void {
    if (this.isFree() && this.#waiting.isEmpty()) this.#runNow(work)
    else this.#wait(this.#waiting.pushLast, work)
  }

  isFree(): boolean {
    return !this.#waiting.hasFirst() && !this.isOver()
  }

  isOver(): boolean {
    return this.#isRunning && performance.now() - this.#startMs >= this.#turnMs
  }

  place(): number {
    this.#places += 1
    return this.#places
  }

  next(place: number): Promise<void> {
    return new Promise((resolve) => {
      if (!this.#isRunning) this.#begin()
      let at = this.#long.length
      while (at > 0 && this.#long[at - 1]!.place < place) at -= 1
      this.#long.splice(at, 0, { place, goOn: resolve })
    })
  }

  #runNow(work: Work): void {
    if (!this.#isRunning) this.#begin()
    work()
  }

  #wait(push: (work: Work) => void, work: Work): void {
    push(work)
    if (!this.#isRunning) this.#begin()
  }

  #begin(): void {
    this.#isRunning = true
    this.#startMs = performance.now()
    setImmediate(this.#runTurn)
  }

  /** After the loop has looked at its sockets and messages once. */
  readonly #runTurn = (): void => {
    this.#isRunning = false
    this.#fullTurns = this.#waiting.isEmpty() ? 0 : this.#fullTurns + 1
    this.#longFullTurns = this.#long.length === 0 ? 0 : this.#longFullTurns + 1
    if (this.#fullTurns === 0 && this.#longFullTurns === 0) return
    const nowMs = performance.now()
    const restMs = this.#isRested ? 0 : this.#restMsAfter(nowMs - this.#startMs)
    this.#isRested = restMs > 0 && this.#fullTurns >= floodTurns
    if (this.#isRested) {
      this.#isRunning = true
      setTimeout(this.#runTurn, restMs)
      return
    }
    // Who asks for something short beside a flood of long work has no part in it, and does not rest with it.
    if (restMs > 0 && this.#longFullTurns >= floodTurns) this.#longRestsUntilMs = nowMs + restMs
    if (nowMs < this.#longRestsUntilMs) this.#runShort(this.#longRestsUntilMs - nowMs)
    else this.#runBoth()
  }

  #restMsAfter(lastedMs: number): number {
    return lastedMs > this.#turnMs * longTurns ? Math.min(lastedMs, restMsMax) : 0
  }

  #runBoth(): void {
    this.#begin()
    const hasLong = () => this.#long.length > 0
    // New work and work that goes on have every other turn.
    if (!hasLong() || (!this.#waiting.isEmpty() && !this.#isLongDue)) this.#runWaiting()
    this.#isLongDue = !hasLong() || this.isOver()
    // It goes on when we return, and has the rest of this turn.
    if (!this.#isLongDue) this.#long.pop()!.goOn()
  }

  /** Long work goes on after that time. */
  #runShort(restMs: number): void {
    if (!this.#isWakeSet) {
      this.#isWakeSet = true
      setTimeout(this.#wake, restMs)
    }
    if (this.#waiting.isEmpty()) return
    this.#begin()
    this.#runWaiting()
  }

  readonly #wake = (): void => {
    this.#isWakeSet = false
    if (!this.#isRunning) this.#begin()
  }

  #runWaiting(): void {
    this.#waiting.run(() => !this.isOver())
  }
}
