import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../../lib/logger.ts'
import { createHeadSocket, type HeadDialect } from '../rpc/headSocket.ts'
import type { BlockFeed } from './grpc/blockFeed.ts'

export type SlotsOptions = {
  /** Of nodes that announce slots; none: all is asked for. */
  urls: readonly string[]
  pollMs: number
  /** Blocks that come without being asked for wake, too. @default none do */
  feed?: BlockFeed | undefined
  /** A stream brings a block a slot: after this long without one, nodes are asked. @default 2_000 */
  streamSilentMs?: number | undefined
  logger: Logger
  signal: AbortSignal
}

/** When to ask for the newest slot again. */
export type Slots = {
  /** Resolves when there may be one after this. */
  next(number: number): Promise<void>
  close(): void
}

const slotSubscribe: HeadDialect<number> = {
  subscription: { id: 1, method: 'slotSubscribe', params: [] },
  // Sockets of nodes answer nothing but subscriptions, and an announcement is believed in no more than that it wakes.
  network: null,
  headOf: slotIn,
}

// Announcements go silent without closing; then this is how late we notice.
const silentPollMs = 5_000
const streamSilentMsDefault = 2_000

/**
 * Nodes announce a slot while they process it: it can be asked for a moment later, when most of the stake has voted. So an
 * announcement wakes, and as long as one is ahead of what there is, the newest slot is polled as without.
 */
export function createSlots(options: SlotsOptions): Slots {
  const { urls, pollMs, feed, logger, signal } = options
  const { streamSilentMs = streamSilentMsDefault } = options
  let announced = -1
  let wake: (() => void) | null = null
  const socket = createHeadSocket({
    urls,
    logger,
    dialect: slotSubscribe,
    onHead(slot) {
      announced = Math.max(announced, slot)
      wake?.()
    },
  })
  feed?.onBlock(() => wake?.())
  return {
    async next(number) {
      if (feed?.hasNews()) return
      const waker = new AbortController()
      const onAbort = () => waker.abort()
      wake = onAbort
      signal.addEventListener('abort', onAbort, { once: true })
      const isQuiet = socket.isOpen() && announced <= number
      const isStreaming = feed !== undefined && feed.silentMs() < streamSilentMs
      const silentMs = isQuiet ? silentPollMs : isStreaming ? streamSilentMs : 0
      const delayMs = Math.max(pollMs, silentMs)
      await sleep(delayMs, undefined, { signal: waker.signal }).catch(() => undefined)
      signal.removeEventListener('abort', onAbort)
      wake = null
    },
    close: socket.close,
  }
}

/** Null: the announcement is not a slot. */
function slotIn(announced: unknown): number | null {
  const { slot } = (announced ?? {}) as { slot?: unknown }
  return Number.isSafeInteger(slot) ? Number(slot) : null
}
