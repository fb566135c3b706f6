import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../../../lib/logger.ts'
import { createHeadSocket, type HeadDialect } from '../../rpc/headSocket.ts'
import { type FetchContext, fetchHeader } from '../fetch/fetchBlock.ts'
import { type EvmHeader, parseHeader, parseQuantity } from '../fetch/rawBlock.ts'
import { withOwnLogsBloom } from '../verify/headerReader.ts'

type HeadsOptions = {
  context: FetchContext
  pollMs: number
  logger: Logger
  signal: AbortSignal
}

/** A head reported by a node. `endpoint` -1: announced over a socket. */
export type Head = { header: EvmHeader; endpoint: number }

/**
 * When to look for the next head. now: more blocks are known. soon: a reported head could not be
 * fetched yet. idle: nothing is pending.
 */
export type HeadUrgency = 'now' | 'soon' | 'idle'

type Heads = {
  /** Waits for the next head, which may be the same as before. Null if no node answered. */
  next(urgency: HeadUrgency): Promise<Head | null>
  close(): void
}

// Sockets can go silent without closing, so the head is polled at this interval regardless.
const silentPollMs = 5_000
// Nodes announce a block a moment before they serve it.
const soonMs = 100

export function createHeads({ context, pollMs, logger, signal }: HeadsOptions): Heads {
  let announced: EvmHeader | null = null
  let wake: (() => void) | null = null
  let lastPoll = { number: -1, endpoint: -1 }
  const newHeads = createHeadSocket({
    urls: context.rpc.webSocketUrls(),
    dialect: newHeadsOf(context.rpc.chainId),
    logger,
    onHead(header) {
      announced = header
      wake?.()
    },
  })

  function takeAnnounced(): Head | null {
    const header = announced
    announced = null
    return header === null ? null : { header, endpoint: -1 }
  }

  /**
   * If the head does not advance, its node may be stuck, so the next poll asks another node first.
   */
  async function poll(): Promise<Head | null> {
    const avoid = lastPoll.endpoint >= 0 ? [lastPoll.endpoint] : []
    const head = await fetchHeader(context, 'latest', { signal, avoid })
    if (head === null) return null
    const hasMoved = head.header.number > lastPoll.number
    lastPoll = {
      number: Math.max(lastPoll.number, head.header.number),
      endpoint: hasMoved ? -1 : head.endpoint,
    }
    return head
  }

  async function wait(urgency: HeadUrgency): Promise<void> {
    const waker = new AbortController()
    const onAbort = () => waker.abort()
    wake = onAbort
    signal.addEventListener('abort', onAbort, { once: true })
    const idleMs = newHeads.isOpen() ? Math.max(pollMs, silentPollMs) : pollMs
    const delayMs = urgency === 'soon' ? Math.min(soonMs, idleMs) : idleMs
    // Woken, aborted or timed out: the caller checks the head in each case.
    await sleep(delayMs, undefined, { signal: waker.signal }).catch(() => undefined)
    signal.removeEventListener('abort', onAbort)
    wake = null
  }

  return {
    async next(urgency) {
      const early = takeAnnounced()
      if (early !== null) return early
      if (urgency !== 'now') await wait(urgency)
      return takeAnnounced() ?? poll()
    },
    close: newHeads.close,
  }
}

/** How EVM nodes announce blocks. `chainId`: required chain id of the node; undefined: any. */
export function newHeadsOf(chainId: number | undefined): HeadDialect<EvmHeader> {
  return {
    subscription: { id: 1, method: 'eth_subscribe', params: ['newHeads'] },
    network:
      chainId === undefined
        ? null
        : {
            question: { id: 2, method: 'eth_chainId', params: [] },
            isRight: (answer) => parseQuantity(answer) === chainId,
          },
    headOf(announced) {
      const header = parseHeader(announced)
      return header === null ? null : withOwnLogsBloom(header, announced)
    },
  }
}
