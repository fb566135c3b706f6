/**
 * Reads up to `aheadMax` items ahead of the consumer, so that `begin` can start slow work early.
 * Yields the results in order.
 */
export async function* prefetch<from, to>(
  source: AsyncIterable<from>,
  aheadMax: number,
  begin: (item: from) => to,
): AsyncGenerator<to> {
  const iterator = source[Symbol.asyncIterator]()
  const queue: to[] = []
  const arrival = createSignal()
  const room = createSignal()
  let end: { error?: unknown } | null = null
  let isStopped = false

  async function fill(): Promise<void> {
    try {
      while (!isStopped) {
        const next = await iterator.next()
        if (next.done === true) break
        queue.push(begin(next.value))
        arrival.fire()
        while (queue.length >= aheadMax && !isStopped) await room.next()
      }
      end = {}
    } catch (error) {
      end = { error }
    }
    arrival.fire()
  }

  void fill()
  try {
    for (;;) {
      while (queue.length > 0) {
        yield queue.shift()!
        room.fire()
      }
      const ended = end as { error?: unknown } | null
      if (ended !== null && 'error' in ended) throw ended.error
      if (ended !== null) return
      await arrival.next()
    }
  } finally {
    isStopped = true
    room.fire()
    // Do not await: a stuck source returns only when its own signal aborts.
    void iterator.return?.()
  }
}

/** A signal for one waiter. `fire` without a waiter is remembered for the next one. */
function createSignal(): { fire(): void; next(): Promise<void> } {
  let isFired = false
  let resume: (() => void) | null = null
  return {
    fire() {
      isFired = true
      resume?.()
    },
    async next() {
      if (!isFired)
        await new Promise<void>((resolve) => {
          resume = resolve
        })
      isFired = false
      resume = null
    },
  }
}
