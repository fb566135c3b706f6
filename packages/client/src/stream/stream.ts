import { ChaintapeError, LimitError } from '../errors.ts'
import type { TapeListener } from './tapeEvent.ts'

/** Keeps how far a stream is, under its name. */
export type CursorStore = {
  load(name: string): string | null | undefined | Promise<string | null | undefined>
  save(name: string, cursor: string): void | Promise<void>
}

/** What an item says beside its own members. */
export type Marks = {
  /** Where a reader is after it. */
  cursor: string | null
  /** A reorg reverted it; only with `revisions`. */
  retracted?: true
  /** It was there before; only with `snapshot`. */
  snapshot?: true
}

export type StreamOptions = {
  /** Goes on behind this place. @default what the store has, else now */
  since?: string
  /** What is there now comes first. @default false */
  snapshot?: boolean
  /** Items that a reorg reverts come again as `retracted`. @default false */
  revisions?: boolean
  /** Items that wait for the consumer at most. @default 1,000 */
  bufferMax?: number
  /**
   * What then happens. `conflate`: of klines, prices and ranks the newest of each is kept; a stream of events pauses, and goes
   * on where it was when the consumer has caught up. `close`: the stream fails. @default conflate
   */
  overflow?: 'conflate' | 'close'
  store?: CursorStore
  /** Ends the stream. */
  signal?: AbortSignal
}

/** How a stream is fed: started, paused and ended. */
export type Source = { start(): void; stop(): void }

export type StreamParts<item> = {
  name: string
  options: StreamOptions
  /** Of a state, what makes two items the same but for their age; null: each item is an event. */
  keyOf: ((item: item) => string) | null
  emit: TapeListener
}

type Waiter<item> = {
  resolve(result: IteratorResult<item, undefined>): void
  reject(error: unknown): void
}

/** Items in the order of the chain, each once. Iterate over it, or call `each`; leaving the loop ends it. */
export class Stream<item extends { cursor: string | null }> implements AsyncIterable<item> {
  readonly name: string
  readonly #parts: StreamParts<item>
  readonly #bufferMax: number
  #source: Source | null = null
  #queue: item[] = []
  #head = 0
  #waiter: Waiter<item> | null = null
  #callback: ((item: item) => unknown) | null = null
  #isBusy = false
  #isPaused = false
  #isEnded = false
  #failure: unknown = null
  #ended: (() => void)[] = []
  #opened: (() => void)[] | null = []
  /** Of the item that the consumer has now. */
  #inHand: string | null = null
  #cursor: string | null = null
  #saving: Promise<void> | null = null
  #unsaved: string | null = null

  constructor(parts: StreamParts<item>) {
    this.#parts = parts
    this.name = parts.name
    this.#bufferMax = parts.options.bufferMax ?? 1_000
    const { signal } = parts.options
    if (signal?.aborted) this.#isEnded = true
    signal?.addEventListener('abort', () => this.end(), { once: true })
  }

  get isEnded(): boolean {
    return this.#isEnded
  }

  /** Behind all that the consumer is done with. */
  get cursor(): string | null {
    return this.#cursor
  }

  /** Resolves when the service has taken the subscription. */
  opened(): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = () => (this.#failure === null ? resolve() : reject(this.#failure))
      if (this.#opened === null || this.#isEnded) settle()
      else this.#opened.push(settle)
    })
  }

  /** Ends it; what was not consumed yet is not given any more. Resolves when the place is saved. */
  async close(): Promise<void> {
    this.end()
    while (this.#saving !== null) await this.#saving
  }

  /** Calls back with each item, and waits where that gives a promise. Resolves when the stream has ended. */
  each(callback: (item: item) => unknown): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#ended.push(() => (this.#failure === null ? resolve() : reject(this.#failure)))
      this.#callback = callback
      if (this.#isEnded) this.#settle()
      else this.#drain()
    })
  }

  [Symbol.asyncIterator](): AsyncIterator<item, undefined> {
    return {
      next: () => this.#next(),
      return: async () => {
        await this.close()
        return { done: true, value: undefined }
      },
    }
  }

  /** @internal */
  feedFrom(source: Source): void {
    this.#source = source
    if (!this.#isEnded) source.start()
  }

  /** @internal */
  taken(): void {
    const waiting = this.#opened
    this.#opened = null
    for (const settle of waiting ?? []) settle()
  }

  /** @internal */
  push(item: item): void {
    if (this.#isEnded) return
    if (this.#waiter !== null) {
      const { resolve } = this.#waiter
      this.#waiter = null
      this.#inHand = item.cursor
      resolve({ done: false, value: item })
    } else if (this.#callback !== null && !this.#isBusy && this.#queue.length === 0)
      this.#callBack(item)
    else {
      this.#queue.push(item)
      if (this.#queue.length - this.#head >= this.#bufferMax) this.#overflow()
    }
  }

  /** @internal There was nothing up to here: the consumer has all. */
  quiet(cursor: string): void {
    const isIdle = this.#waiter !== null || (this.#callback !== null && !this.#isBusy)
    if (isIdle && this.#queue.length === 0) this.#consumed(cursor)
  }

  /** @internal */
  fail(error: unknown): void {
    if (this.#isEnded) return
    this.#failure = error
    this.end()
  }

  /** @internal */
  end(): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#source?.stop()
    this.#queue = []
    this.#settle()
  }

  #settle(): void {
    const waiter = this.#waiter
    this.#waiter = null
    if (this.#failure !== null) waiter?.reject(this.#failure)
    else waiter?.resolve({ done: true, value: undefined })
    this.taken()
    for (const settle of this.#ended.splice(0)) settle()
  }

  #next(): Promise<IteratorResult<item, undefined>> {
    // Who asks for the next is done with the one before.
    if (this.#inHand !== null) this.#consumed(this.#inHand)
    this.#inHand = null
    const item = this.#isEnded ? undefined : this.#take()
    if (item !== undefined) {
      this.#inHand = item.cursor
      return Promise.resolve({ done: false, value: item })
    }
    if (this.#isEnded && this.#failure === null)
      return Promise.resolve({ done: true, value: undefined })
    if (this.#isEnded) return Promise.reject(this.#failure)
    return new Promise((resolve, reject) => {
      this.#waiter = { resolve, reject }
    })
  }

  #take(): item | undefined {
    const item = this.#queue[this.#head]
    if (item === undefined) return undefined
    this.#head += 1
    const left = this.#queue.length - this.#head
    if (left === 0 || this.#head > this.#bufferMax) {
      this.#queue = this.#queue.slice(this.#head)
      this.#head = 0
    }
    if (this.#isPaused && left <= this.#bufferMax / 2) {
      this.#isPaused = false
      this.#source?.start()
    }
    return item
  }

  #callBack(item: item): void {
    let result: unknown
    try {
      result = this.#callback?.(item)
    } catch (error) {
      this.fail(error)
      return
    }
    if (!(result instanceof Promise)) {
      if (item.cursor !== null) this.#consumed(item.cursor)
      return
    }
    this.#isBusy = true
    result.then(
      () => {
        this.#isBusy = false
        if (item.cursor !== null) this.#consumed(item.cursor)
        this.#drain()
      },
      (error: unknown) => this.fail(error),
    )
  }

  #drain(): void {
    while (!this.#isBusy && !this.#isEnded) {
      const item = this.#take()
      if (item === undefined) return
      this.#callBack(item)
    }
  }

  #overflow(): void {
    const { name: stream, keyOf, options, emit } = this.#parts
    if (options.overflow === 'close') {
      const message = `${stream}: over ${this.#bufferMax} items wait for the consumer; go on later from cursor.`
      this.fail(new LimitError(message, { code: 'limit_exceeded', param: 'bufferMax' }))
    } else if (keyOf === null) {
      if (this.#isPaused) return
      this.#isPaused = true
      this.#source?.stop()
      emit({ type: 'paused', stream, cursor: this.#queue.at(-1)?.cursor ?? null })
    } else {
      const waiting = this.#queue.slice(this.#head)
      const newest = new Map(waiting.map((item) => [keyOf(item), item]))
      // Of states without end, such as klines of ever later times, the newest half.
      this.#queue = [...newest.values()].slice(-Math.ceil(this.#bufferMax / 2))
      this.#head = 0
      emit({ type: 'conflated', stream, count: waiting.length - this.#queue.length })
    }
  }

  #consumed(cursor: string): void {
    this.#cursor = cursor
    if (this.#parts.options.store === undefined) return
    this.#unsaved = cursor
    this.#saving ??= this.#save(this.#parts.options.store)
  }

  /** One at a time: while one is being saved, only the newest waits. */
  async #save(store: CursorStore): Promise<void> {
    while (this.#unsaved !== null) {
      const cursor = this.#unsaved
      this.#unsaved = null
      try {
        await store.save(this.name, cursor)
      } catch (error) {
        this.#parts.emit({ type: 'unsaved', stream: this.name, error })
      }
    }
    this.#saving = null
  }
}

/** The place a stream begins at; a store that fails ends it, since going on from now would lose what is in between. */
export async function firstCursor(
  name: string,
  { since, store }: StreamOptions,
): Promise<string | null> {
  if (since !== undefined || store === undefined) return since ?? null
  try {
    return (await store.load(name)) ?? null
  } catch (cause) {
    throw new ChaintapeError(`The place of ${name} could not be loaded.`, {
      code: 'unavailable',
      cause,
    })
  }
}
