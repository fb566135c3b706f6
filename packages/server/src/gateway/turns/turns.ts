import { createWaitingWork, type WaitingWork, type Work } from './waitingWork.ts'

type TurnsOptions = {
  /** Time that requests may take of the event loop before blocks and pushes get it again. */
  turnMs: number
  /** Maximum number of requests that may wait for a slot. */
  waitingMax: number
}

/**
 * Shares the event loop between requests and the market in slots. However many requests arrive at
 * once, a block waits for one slot at most.
 */
export type Turns = {
  /**
   * Runs work now, or later if the time of this slot is used up. Throws `unavailable` if too much
   * work waits.
   */
  take(work: Work): void
  /**
   * Runs work of an anonymous client. It waits for all other work, but each slot runs at least one
   * piece of it.
   */
  takeLast(work: Work): void
  /** Whether new work would run at once instead of waiting for a slot. */
  isFree(): boolean
  /** Whether the time of the current slot is used up. */
  isOver(): boolean
  /** Position of work that is too long for one slot, among other long work, by when it began. */
  place(): number
  /**
   * Resolves in a later slot. Long work that began first continues first, so that it ends before
   * later work holds much data: every garbage collection has to move the data of unfinished
   * answers.
   */
  next(place: number): Promise<void>
}

const turnDefaults: TurnsOptions = {
  // A block takes about as long itself, so waiting for one slot does not double its time.
  turnMs: 2,
  // Room for thousands of clients at once. Each waiting request holds a few kilobytes.
  waitingMax: 20_000,
}

// A slot that takes this many times its limit was slowed by garbage collection. In a flood,
// requests cause more garbage than blocks, so requests then pause for as long again and leave the
// loop to the market.
const longTurns = 4
const restMsMax = 50
// A flood: work was still waiting at the end of this many slots in a row. A few requests after one
// long slot need no pause.
const floodTurns = 16

type LongWork = { place: number; goOn: Work }

export function createTurns(options: TurnsOptions = turnDefaults): Turns {
  return new LoopTurns(options)
}

class LoopTurns implements Turns {
  readonly #turnMs: number
  readonly #waiting: WaitingWork
  /** Paused long work by position, the most recently begun first. */
  readonly #long: LongWork[] = []
  #places = 0
  #startMs = 0
  #isRunning = false
  #isLongDue = false
  #isRested = false
  /** Number of consecutive slots at whose end new work was waiting. */
  #fullTurns = 0
  /** Number of consecutive slots at whose end long work was waiting. */
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

  /** Runs one slot, after the event loop has polled its sockets and messages once. */
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
    // Short requests are not the cause of a flood of long work, so only long work pauses.
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
    // New work and paused long work alternate: each gets every other slot.
    if (!hasLong() || (!this.#waiting.isEmpty() && !this.#isLongDue)) this.#runWaiting()
    this.#isLongDue = !hasLong() || this.isOver()
    // Long work continues in a microtask after this function returns, and has the rest of this
    // slot.
    if (!this.#isLongDue) this.#long.pop()!.goOn()
  }

  /** Runs only short work now; long work continues after `restMs`. */
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
