import type { Logger } from '../../../lib/logger.ts'
import type { Turns } from '../../turns/turns.ts'
import type { SubscribedItem } from './itemTable.ts'
import type { SubscribedItems } from './subscriptionSet.ts'

type DroppedSubscriptions = {
  /** Lets go of these, which get no pushes any more, when there is time. */
  add(items: SubscribedItems, keyId: number): void
  /** The process ends: nobody needs what is left to be orderly. */
  stop(): void
}

type Dropped = { rest: Iterator<[string, SubscribedItem]>; keyId: number }

export type DroppedOptions = {
  turns: Turns
  logger: Logger
  /** Lets go of one. */
  drop(key: string, item: SubscribedItem, keyId: number): void
}

// Looking at the clock costs a part of what letting go of one does.
const dropsPerLook = 32

/** A million subscriptions that end at once would hold the loop for seconds: they go in turns, like any other work. */
export function createDroppedSubscriptions(options: DroppedOptions): DroppedSubscriptions {
  const { turns, logger, drop } = options
  const queue: Dropped[] = []
  let isRunning = false
  let isStopped = false

  /** False: this turn is over. */
  function dropSome(): boolean {
    for (let first = queue[0]; first !== undefined; first = queue[0]) {
      for (let count = 0; count < dropsPerLook; count += 1) {
        const { done, value } = first.rest.next()
        if (done === true) {
          queue.shift()
          break
        }
        drop(...value, first.keyId)
      }
      if (turns.isOver()) return queue.length === 0
    }
    return true
  }

  async function run(): Promise<void> {
    // Nobody waits for it: each time behind all that others wait for.
    while (!isStopped && !dropSome()) await turns.next(turns.place())
    isRunning = false
  }

  return {
    add({ byKey }, keyId) {
      if (byKey.size === 0 || isStopped) return
      queue.push({ rest: byKey.entries(), keyId })
      if (isRunning) return
      isRunning = true
      const begin = () =>
        run().catch((error) => {
          isRunning = false
          logger.error({ msg: 'Failed to let go of subscriptions', err: error })
        })
      try {
        turns.take(() => void begin())
      } catch {
        // Too many requests wait; this is work of those that are no more.
        void turns.next(turns.place()).then(begin)
      }
    },
    stop() {
      isStopped = true
      queue.length = 0
    },
  }
}
