import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../../lib/logger.ts'
import { createHeadSocket, type HeadDialect } from '../rpc/headSocket.ts'
import type { BlockFeed } from './grpc/blockFeed.ts'

type SlotsOptions = {
  /** WebSocket URLs of nodes that announce slots. Without any, slots are polled. */
  urls: readonly string[]
  pollMs: number
  /** Streamed blocks, which also wake the caller. @default none */
  feed?: BlockFeed | undefined
  /** Streams send a block per slot: after this time without one, nodes are asked. @default 2_000 */
  streamSilentMs?: number | undefined
  logger: Logger
  signal: AbortSignal
}

/** Tells when to ask for the newest slot again. */
type SlotFeed = {
  /** Resolves when there may be a slot after this one. */
  next(number: number): Promise<void>
  close(): void
}

const slotSubscribe: HeadDialect<number> = {
  subscription: { id: 1, method: 'slotSubscribe', params: [] },
  // Sockets of nodes only answer subscriptions, so the chain cannot be checked. An announcement
  // only wakes the caller.
  network: null,
  headOf: slotIn,
}

// Sockets can go silent without closing, so the newest slot is polled at this interval regardless.
const silentPollMs = 5_000
const streamSilentMsDefault = 2_000

/**
 * Nodes announce a slot while they process it. The slot is available a moment later, when most of
 * the stake has voted. So an announcement only wakes the caller, and while an announced slot is
 * ahead of the newest block, the newest slot is polled.
 */
export function createSlotFeed(options: SlotsOptions): SlotFeed {
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

/** Parses an announcement; null if it is not a slot. */
function slotIn(announced: unknown): number | null {
  const { slot } = (announced ?? {}) as { slot?: unknown }
  return Number.isSafeInteger(slot) ? Number(slot) : null
}
