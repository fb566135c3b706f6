import type { Scheduler } from '../ground/scheduler.ts'

type InboxOptions = {
  scheduler: Scheduler
  /**
   * Answers one message. A promise: the next message has to wait for it. `place` orders the
   * message's long work in the scheduler. With a place per part of a message, all sockets would
   * have messages parsed before the first is answered.
   */
  answer(data: Buffer, place: number): Promise<void> | null
  /** Stops reading from the socket, until `resume`. */
  pause(): void
  resume(): void
  /** Called when the scheduler's queue is full, because too many requests of all clients wait. */
  onOverload(): void
}

// Queued messages at which the socket is paused. The queue can exceed this by the messages of one
// socket read.
const queuedMax = 16
// Size above which a message counts as long: parsing a list of some hundred items takes a good part
// of a scheduler slot.
const longMessageBytes = 16_384

/**
 * Unanswered messages of one socket, in order of arrival. A socket takes only one place in the
 * scheduler, however many messages it sends.
 */
export class Inbox {
  readonly #options: InboxOptions
  #waiting: Buffer[] = []
  #isQueued = false
  #place = 0
  #isPaused = false

  constructor(options: InboxOptions) {
    this.#options = options
  }

  receive(data: Buffer): void {
    this.#waiting.push(data)
    if (!this.#isQueued) this.#queue()
    else if (!this.#isPaused && this.#waiting.length >= queuedMax) {
      this.#isPaused = true
      this.#options.pause()
    }
  }

  /** Drops the queued messages of a closed connection. */
  clear(): void {
    this.#waiting = []
  }

  #queue(): void {
    this.#isQueued = true
    const { scheduler } = this.#options
    this.#place = scheduler.newPosition()
    if (this.#isLongNext()) {
      // A long message waits with other long work: short messages and requests run first.
      void scheduler.nextSlot(this.#place).then(this.#run)
      return
    }
    try {
      scheduler.run(this.#run)
    } catch {
      this.#isQueued = false
      this.clear()
      this.#options.onOverload()
    }
  }

  readonly #run = (): void => {
    const { scheduler, answer } = this.#options
    do {
      const data = this.#waiting.shift()
      if (data === undefined) break
      const answered = answer(data, this.#place)
      if (answered !== null) {
        void answered.then(this.#continue)
        return
      }
    } while (scheduler.isFree() && !this.#isLongNext())
    this.#continue()
  }

  #isLongNext(): boolean {
    const [next] = this.#waiting
    return next !== undefined && next.length > longMessageBytes
  }

  readonly #continue = (): void => {
    this.#isQueued = false
    if (this.#waiting.length > 0) this.#queue()
    else if (this.#isPaused) {
      this.#isPaused = false
      this.#options.resume()
    }
  }
}
