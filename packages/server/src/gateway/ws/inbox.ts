import type { Turns } from '../turns/turns.ts'

type InboxOptions = {
  turns: Turns
  /**
   * Answers one message. Returns a promise if the next message has to wait. `place` orders the
   * message's long work in the scheduler. With a place per part of a message, all sockets would
   * have messages parsed before the first is answered.
   */
  answer(data: Buffer, place: number): Promise<void> | undefined
  /** Stops reading from the socket, until `resume`. */
  pause(): void
  resume(): void
  /** Called when the scheduler's queue is full, because too many requests of all clients wait. */
  onOverload(): void
}

// Queued messages at which the socket is paused. The queue can exceed this by the messages of one
// socket read.
const waitingMax = 16
// Size above which a message counts as long: parsing a list of some hundred items takes a good part
// of a scheduler slot.
const longBytes = 16_384

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
    else if (!this.#isPaused && this.#waiting.length >= waitingMax) {
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
    const { turns } = this.#options
    this.#place = turns.place()
    if (this.#isLongNext()) {
      // A long message waits with other long work: short messages and requests run first.
      void turns.next(this.#place).then(this.#run)
      return
    }
    try {
      turns.take(this.#run)
    } catch {
      this.#isQueued = false
      this.clear()
      this.#options.onOverload()
    }
  }

  readonly #run = (): void => {
    const { turns, answer } = this.#options
    do {
      const data = this.#waiting.shift()
      if (data === undefined) break
      const answered = answer(data, this.#place)
      if (answered !== undefined) {
        void answered.then(this.#goOn)
        return
      }
    } while (turns.isFree() && !this.#isLongNext())
    this.#goOn()
  }

  #isLongNext(): boolean {
    const [next] = this.#waiting
    return next !== undefined && next.length > longBytes
  }

  readonly #goOn = (): void => {
    this.#isQueued = false
    if (this.#waiting.length > 0) this.#queue()
    else if (this.#isPaused) {
      this.#isPaused = false
      this.#options.resume()
    }
  }
}
