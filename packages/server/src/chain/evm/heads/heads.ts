import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../../../lib/logger.ts'
import { createHeadSocket, type HeadDialect } from '../../rpc/headSocket.ts'
import { type FetchContext, fetchHeader } from '../fetch/fetchBlock.ts'
import { type EvmHeader, parseHeader, parseQuantity } from '../fetch/rawBlock.ts'
import { ofOwnLogs } from '../verify/headerReader.ts'

export type HeadsOptions = {
  context: FetchContext
  pollMs: number
  logger: Logger
  signal: AbortSignal
}

/** A head some node reported. `endpoint` -1: it was announced, not asked for. */
export type Head = { header: EvmHeader; endpoint: number }

/** now: there is more to do. soon: a head was reported that could not be fetched yet. idle: all is done. */
export type Urgency = 'now' | 'soon' | 'idle'

type Heads = {
  /** Something that may be new. Null: no node answered with a head. */
  next(urgency: Urgency): Promise<Head | null>
  close(): void
}

// Announcements go silent without closing; then this is how late we notice.
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

  /** A head that does not move may be a node that is stuck: the next poll asks another one first. */
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

  async function wait(urgency: Urgency): Promise<void> {
    const waker = new AbortController()
    const onAbort = () => waker.abort()
    wake = onAbort
    signal.addEventListener('abort', onAbort, { once: true })
    const idleMs = newHeads.isOpen() ? Math.max(pollMs, silentPollMs) : pollMs
    const delayMs = urgency === 'soon' ? Math.min(soonMs, idleMs) : idleMs
    // Woken, stopped or timed out: the caller looks at what there is.
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

/** How EVM nodes announce blocks. `chainId`: the chain that they must be of; undefined: whatever it is. */
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
      return header === null ? null : ofOwnLogs(header, announced)
    },
  }
}
