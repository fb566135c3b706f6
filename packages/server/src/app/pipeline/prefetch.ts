/**
 * Takes items from a source before they are asked for, at most `aheadMax` of them, so that `begin` can start what takes
 * time; gives them out in order.
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
    // Not waited for: a source that is stuck answers only when its own signal ends it.
    void iterator.return?.()
  }
}

/** Lets one waiter go on; a signal that nobody waits for is kept. */
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
