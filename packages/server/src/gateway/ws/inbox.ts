import { messageBurstMin } from '../keys/plan.ts'
import type { TokenBucket } from '../keys/usage/tokenBucket.ts'
import type { Turns } from '../turns/turns.ts'

type InboxOptions = {
  turns: Turns
  /**
   * Answers one message. A promise: the next has to wait for it. All that it takes has this place among long work: with
   * another one for each part, all sockets would have their messages taken apart before the first is done with.
   */
  answer(data: Buffer, place: number): Promise<void> | undefined
  /** Reads no more from the socket, and again. */
  pause(): void
  resume(): void
  /** Too much waits in the whole service. */
  onOverload(): void
}

// What came with one read of the socket may be more; nothing more is read then.
const waitingMax = 16
// Longer ones, a list of some hundred items, take a good part of a turn to be parsed alone.
const longBytes = 16_384

/** Messages of one socket that wait for their turn, in the order they came. However many it sends, it waits once. */
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

  /** Nobody waits for answers any more. */
  clear(): void {
    this.#waiting = []
  }

  #queue(): void {
    this.#isQueued = true
    const { turns } = this.#options
    this.#place = turns.place()
    if (this.#isLongNext()) {
      // Among other long work: short messages and requests go before it.
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

/** Takes one message from a socket's bucket; false: too many. */
export function takeMessage(bucket: TokenBucket, messagesPerS: number, nowMs: number): boolean {
  const rate = { burst: Math.max(messageBurstMin, messagesPerS), intervalMs: 1_000 / messagesPerS }
  if (bucket.waitMs(rate, nowMs) > 0) return false
  bucket.take(rate, nowMs)
  return true
}
