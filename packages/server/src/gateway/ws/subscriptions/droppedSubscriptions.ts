import type { Logger } from '../../../lib/logger.ts'
import type { Scheduler } from '../../ground/scheduler.ts'
import type { SubscribedItem } from './itemTable.ts'
import type { SubscribedItems } from './subscriptionSet.ts'

type DroppedSubscriptions = {
  /** Queues dropped subscriptions, which already get no pushes, for removal. */
  add(items: SubscribedItems, keyId: number): void
  /** Stops removing subscriptions, because the process ends. */
  stop(): void
}

type DroppedItems = { rest: Iterator<[string, SubscribedItem]>; keyId: number }

export type DroppedSubscriptionsOptions = {
  scheduler: Scheduler
  logger: Logger
  /** Removes one dropped subscription from the feed and the budget. */
  drop(key: string, item: SubscribedItem, keyId: number): void
}

// Removals between two reads of the clock, because a read takes a noticeable part of the time of
// one removal.
const dropsPerClockRead = 32

/**
 * Removes dropped subscriptions from feed and budget in scheduler slots. Removing a million at once
 * would block the event loop for seconds.
 */
export function createDroppedSubscriptions(
  options: DroppedSubscriptionsOptions,
): DroppedSubscriptions {
  const { scheduler, logger, drop } = options
  const queue: DroppedItems[] = []
  let isRunning = false
  let isStopped = false

  /**
   * Removes queued subscriptions until the scheduler slot is over. Returns true once the queue is
   * empty.
   */
  function dropSome(): boolean {
    for (let first = queue[0]; first !== undefined; first = queue[0]) {
      for (let count = 0; count < dropsPerClockRead; count += 1) {
        const { done, value } = first.rest.next()
        if (done === true) {
          queue.shift()
          break
        }
        drop(...value, first.keyId)
      }
      if (scheduler.isSlotOver()) return queue.length === 0
    }
    return true
  }

  async function run(): Promise<void> {
    // No client waits for removals: a new place each time puts them behind all other long work.
    while (!isStopped && !dropSome()) await scheduler.nextSlot(scheduler.newPosition())
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
          logger.error({ msg: 'Failed to remove dropped subscriptions', err: error })
        })
      try {
        scheduler.run(() => void begin())
      } catch {
        // The scheduler's queue is full. Removals wait with long work instead of failing.
        void scheduler.nextSlot(scheduler.newPosition()).then(begin)
      }
    },
    stop() {
      isStopped = true
      queue.length = 0
    },
  }
}
