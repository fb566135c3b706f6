import { RequestError } from './errors.ts'

export type ScheduledWork = () => void

/** First-in first-out queue of work that waits for a slot. */
type WorkQueue = {
  count(): number
  push(work: ScheduledWork): void
  /** Removes and returns the first work. The queue must not be empty. */
  shift(): ScheduledWork
}

/**
 * Creates a queue that releases work as it is removed. A queue that rarely becomes empty would
 * otherwise keep the body of every request it ever held.
 */
export function createWorkQueue(): WorkQueue {
  let coming: ScheduledWork[] = []
  /** Work that leaves next, reversed so that `pop` removes the first. */
  let leaving: ScheduledWork[] = []
  return {
    count: () => coming.length + leaving.length,
    push: (work) => void coming.push(work),
    shift() {
      if (leaving.length === 0) [leaving, coming] = [coming.reverse(), leaving]
      return leaving.pop()!
    },
  }
}

/**
 * Work that waits for a slot, in order of arrival. Work of anonymous clients waits behind all other
 * work.
 */
export type WorkQueues = {
  isEmpty(): boolean
  /** Whether work of clients with a key waits, not only that of anonymous clients. */
  hasKeyedWork(): boolean
  /** Throws `unavailable` if too much work waits. Work of anonymous clients has its own limit. */
  push(work: ScheduledWork): void
  pushAnonymous(work: ScheduledWork): void
  /**
   * Runs waiting work while time is left. At least one piece of anonymous work runs, so that none
   * waits forever.
   */
  run(isTimeLeft: () => boolean): void
}

export function createWorkQueues(countMax: number): WorkQueues {
  const first = createWorkQueue()
  const last = createWorkQueue()

  function push(to: typeof first, work: ScheduledWork): void {
    if (to.count() >= countMax)
      throw new RequestError('unavailable', 'Too many requests wait here; try again soon.')
    to.push(work)
  }

  return {
    isEmpty: () => first.count() === 0 && last.count() === 0,
    hasKeyedWork: () => first.count() > 0,
    push: (work) => push(first, work),
    pushAnonymous: (work) => push(last, work),
    run(isTimeLeft) {
      // The first work of a slot runs even if no time is left.
      if (first.count() > 0)
        do first.shift()()
        while (first.count() > 0 && isTimeLeft())
      if (last.count() > 0)
        do last.shift()()
        while (last.count() > 0 && isTimeLeft())
    },
  }
}

/**
 * Shares the event loop between requests and the market in slots. However many requests arrive at
 * once, a block waits for one slot at most.
 */
export type Scheduler = {
  /**
   * Runs work now, or later if the time of this slot is used up. Throws `unavailable` if too much
   * work waits.
   */
  run(work: ScheduledWork): void
  /**
   * Runs work of an anonymous client. It waits for all other work, but each slot runs at least one
   * piece of it.
   */
  runAnonymous(work: ScheduledWork): void
  /** Whether new work would run at once instead of waiting for a slot. */
  isFree(): boolean
  /** Whether the time of the current slot is used up. */
  isSlotOver(): boolean
  /** Position of work that is too long for one slot, among other long work, by when it began. */
  newPosition(): number
  /**
   * Resolves in a later slot. Long work that began first continues first, so that it ends before
   * later work holds much data: every garbage collection has to move the data of unfinished
   * answers.
   */
  nextSlot(place: number): Promise<void>
}

// A block takes about as long itself, so waiting for one slot does not double its time.
const defaultSlotMs = 2
// Room for thousands of clients at once. Each waiting request holds a few kilobytes.
const defaultWaitingMax = 20_000

// A slot that takes this many times its limit was slowed by garbage collection. In a flood,
// requests cause more garbage than blocks, so requests then pause for as long again and leave the
// loop to the market.
const longSlotFactor = 4
const pauseMsMax = 50
// A flood: work was still waiting at the end of this many slots in a row. A few requests after one
// long slot need no pause.
const floodSlots = 16

type LongWork = { position: number; resume: ScheduledWork }

/**
 * Creates a scheduler. Requests take `slotMs` of the event loop before blocks and pushes get it
 * again, and at most `waitingMax` requests wait for a slot.
 */
export function createScheduler(
  slotMs: number = defaultSlotMs,
  waitingMax: number = defaultWaitingMax,
): Scheduler {
  return new LoopScheduler(slotMs, waitingMax)
}

class LoopScheduler implements Scheduler {
  readonly #slotMs: number
  readonly #waiting: WorkQueues
  /** Paused long work by position, the most recently begun first. */
  readonly #pausedWork: LongWork[] = []
  #positionCount = 0
  #startMs = 0
  #isRunning = false
  #isLongDue = false
  #hasPaused = false
  /** Number of consecutive slots at whose end new work was waiting. */
  #fullSlotCount = 0
  /** Number of consecutive slots at whose end long work was waiting. */
  #longFullSlotCount = 0
  #longPausedUntilMs = 0
  #isWakeScheduled = false

  constructor(slotMs: number, waitingMax: number) {
    this.#slotMs = slotMs
    this.#waiting = createWorkQueues(waitingMax)
  }

  run(work: ScheduledWork): void {
    if (this.isFree()) this.#runNow(work)
    else this.#wait(this.#waiting.push, work)
  }

  runAnonymous(work: ScheduledWork): void {
    if (this.isFree() && this.#waiting.isEmpty()) this.#runNow(work)
    else this.#wait(this.#waiting.pushAnonymous, work)
  }

  isFree(): boolean {
    return !this.#waiting.hasKeyedWork() && !this.isSlotOver()
  }

  isSlotOver(): boolean {
    return this.#isRunning && performance.now() - this.#startMs >= this.#slotMs
  }

  newPosition(): number {
    this.#positionCount += 1
    return this.#positionCount
  }

  nextSlot(position: number): Promise<void> {
    return new Promise((resolve) => {
      if (!this.#isRunning) this.#startSlot()
      let at = this.#pausedWork.length
      while (at > 0 && this.#pausedWork[at - 1]!.position < position) at -= 1
      this.#pausedWork.splice(at, 0, { position, resume: resolve })
    })
  }

  #runNow(work: ScheduledWork): void {
    if (!this.#isRunning) this.#startSlot()
    work()
  }

  #wait(push: (work: ScheduledWork) => void, work: ScheduledWork): void {
    push(work)
    if (!this.#isRunning) this.#startSlot()
  }

  #startSlot(): void {
    this.#isRunning = true
    this.#startMs = performance.now()
    setImmediate(this.#runSlot)
  }

  /** Runs one slot, after the event loop has polled its sockets and messages once. */
  readonly #runSlot = (): void => {
    this.#isRunning = false
    this.#fullSlotCount = this.#waiting.isEmpty() ? 0 : this.#fullSlotCount + 1
    this.#longFullSlotCount = this.#pausedWork.length === 0 ? 0 : this.#longFullSlotCount + 1
    if (this.#fullSlotCount === 0 && this.#longFullSlotCount === 0) return
    const nowMs = performance.now()
    const restMs = this.#hasPaused ? 0 : this.#pauseMsAfter(nowMs - this.#startMs)
    this.#hasPaused = restMs > 0 && this.#fullSlotCount >= floodSlots
    if (this.#hasPaused) {
      this.#isRunning = true
      setTimeout(this.#runSlot, restMs)
      return
    }
    // Short requests are not the cause of a flood of long work, so only long work pauses.
    if (restMs > 0 && this.#longFullSlotCount >= floodSlots)
      this.#longPausedUntilMs = nowMs + restMs
    if (nowMs < this.#longPausedUntilMs) this.#runShort(this.#longPausedUntilMs - nowMs)
    else this.#runBoth()
  }

  #pauseMsAfter(lastedMs: number): number {
    return lastedMs > this.#slotMs * longSlotFactor ? Math.min(lastedMs, pauseMsMax) : 0
  }

  #runBoth(): void {
    this.#startSlot()
    const hasLong = () => this.#pausedWork.length > 0
    // New work and paused long work alternate: each gets every other slot.
    if (!hasLong() || (!this.#waiting.isEmpty() && !this.#isLongDue)) this.#runWaiting()
    this.#isLongDue = !hasLong() || this.isSlotOver()
    // Long work continues in a microtask after this function returns, and has the rest of this
    // slot.
    if (!this.#isLongDue) this.#pausedWork.pop()!.resume()
  }

  /** Runs only short work now; long work continues after `restMs`. */
  #runShort(restMs: number): void {
    if (!this.#isWakeScheduled) {
      this.#isWakeScheduled = true
      setTimeout(this.#wake, restMs)
    }
    if (this.#waiting.isEmpty()) return
    this.#startSlot()
    this.#runWaiting()
  }

  readonly #wake = (): void => {
    this.#isWakeScheduled = false
    if (!this.#isRunning) this.#startSlot()
  }

  #runWaiting(): void {
    this.#waiting.run(() => !this.isSlotOver())
  }
}
