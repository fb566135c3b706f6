import { ChaintapeError, LimitError } from '../errors.ts'
import type { TapeListener } from './tapeEvent.ts'

/** Stores the cursors of streams by name. */
export type CursorStore = {
  load(name: string): string | null | undefined | Promise<string | null | undefined>
  save(name: string, cursor: string): void | Promise<void>
}

/** Members that the client adds to an item. */
export type Marks = {
  /** The cursor after this item. */
  cursor: string | null
  /** A reorg reverted it; only with `revisions`. */
  retracted?: true
  /** It is part of the initial state; only with `snapshot`. */
  snapshot?: true
}

export type StreamOptions = {
  /** Starts after this cursor. @default the stored cursor, else now */
  since?: string
  /** Sends the current state first. @default false */
  snapshot?: boolean
  /** Sends items that a reorg reverts again, as `retracted`. @default false */
  revisions?: boolean
  /** Items buffered for the consumer. @default 1,000 */
  bufferMax?: number
  /**
   * Behavior if the buffer is full. `conflate`: klines, prices and ranks keep the newest of each;
   * an event stream pauses and resumes once the consumer has caught up. `close`: the stream fails.
   * @default conflate
   */
  overflow?: 'conflate' | 'close'
  store?: CursorStore
  /** Ends the stream. */
  signal?: AbortSignal
}

/** Starts, pauses and ends the feed of a stream. */
export type Source = { start(): void; stop(): void }

export type StreamParts<item> = {
  name: string
  options: StreamOptions
  /** Key of a state, equal for its older and newer versions; null if each item is an event. */
  keyOf: ((item: item) => string) | null
  emit: TapeListener
}

type Waiter<item> = {
  resolve(result: IteratorResult<item, undefined>): void
  reject(error: unknown): void
}

/**
 * Items in the order of the chain, each once. Iterate over it, or call `each`; leaving the loop
 * ends it.
 */
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
  /** Cursor of the item that the consumer is working on. */
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

  /** The cursor after all items that the consumer is done with. */
  get cursor(): string | null {
    return this.#cursor
  }

  /** Resolves once the service has accepted the subscription. */
  opened(): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = () => (this.#failure === null ? resolve() : reject(this.#failure))
      if (this.#opened === null || this.#isEnded) settle()
      else this.#opened.push(settle)
    })
  }

  /** Ends the stream and drops unread items. Resolves once the cursor is saved. */
  async close(): Promise<void> {
    this.end()
    while (this.#saving !== null) await this.#saving
  }

  /** Calls back with each item and awaits the result. Resolves when the stream has ended. */
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

  /** @internal No items up to this cursor: the consumer is up to date. */
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
    // Asking for the next item completes the one before.
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
      // States of ever new keys, such as later klines, keep only the newest half.
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

  /** One save at a time: meanwhile only the newest cursor waits. */
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

/**
 * The cursor a stream starts at. A failing store ends the stream: starting now would lose the items
 * in between.
 */
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
