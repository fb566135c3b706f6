import { WebSocket } from 'ws'
import type { Logger } from '../../lib/logger.ts'
import { createSecretRedactor } from '../../lib/redactSecrets.ts'

type Question = { id: number; method: string; params: readonly unknown[] }

/** Socket messages of one family of nodes. */
export type HeadDialect<head> = {
  subscription: Question
  /**
   * Request sent after each connection, before subscribing, to identify the node's chain. Null: not
   * checked.
   */
  network: { question: Question; isRight(answer: unknown): boolean } | null
  /** Parses an announcement; null if it is not a head. */
  headOf(announced: unknown): head | null
}

type HeadSocketOptions<head> = {
  /** WebSocket URLs, tried one after another. */
  urls: readonly string[]
  dialect: HeadDialect<head>
  onHead: (head: head) => void
  logger: Logger
}

/**
 * Announcements of new blocks. They only hint that a block is new: they get lost, and sockets go
 * silent.
 */
export type HeadSocket = {
  isOpen(): boolean
  close(): void
}

const reconnectMsFirst = 500
const reconnectMsMax = 30_000
// A header takes less than 2 kB, and much more on chains whose headers list validators.
const messageBytesMax = 1_048_576
/** Socket options: messages have a size limit and are not compressed. */
export const boundedSocket = { maxPayload: messageBytesMax, perMessageDeflate: false }
// Pings detect dead connections that TCP does not report.
const pingMs = 15_000

export function createHeadSocket<head>(options: HeadSocketOptions<head>): HeadSocket {
  const { urls, dialect, onHead, logger } = options
  const { network, subscription } = dialect
  const hide = createSecretRedactor({ urls })
  let socket: WebSocket | null = null
  let isSubscribed = false
  let failures = 0
  let isClosed = false
  let reconnectTimer: NodeJS.Timeout | undefined

  function connect(): void {
    const url = urls[failures % urls.length]!
    const current = new WebSocket(url, { ...boundedSocket, handshakeTimeout: 10_000 })
    socket = current
    let isAlive = true
    const ping = setInterval(() => {
      if (!isAlive) current.terminate()
      isAlive = false
      if (current.readyState === WebSocket.OPEN) current.ping()
    }, pingMs)
    current.on('pong', () => {
      isAlive = true
    })
    const ask = (question: Question) =>
      current.send(JSON.stringify({ jsonrpc: '2.0', ...question }))
    current.on('open', () => ask(network?.question ?? subscription))
    current.on('message', (data) => {
      isAlive = true
      const { id, result, error, announced } = parseMessage(String(data))
      if (error !== undefined) current.close()
      else if (network !== null && id === network.question.id) {
        if (network.isRight(result)) ask(subscription)
        else {
          const facts = { host: new URL(url).host, network: hide(String(result).slice(0, 100)) }
          logger.error({ msg: 'Refused a head socket of another network', ...facts })
          current.close()
        }
      } else if (id === subscription.id) {
        isSubscribed = true
        failures = 0
      }
      const head = announced === undefined ? null : dialect.headOf(announced)
      if (head !== null) onHead(head)
    })
    // A close event follows each error and triggers the reconnect.
    current.on('error', (error) =>
      logger.debug({ msg: 'Head socket failed', error: hide(error.message) }),
    )
    current.on('close', () => {
      clearInterval(ping)
      isSubscribed = false
      if (isClosed) return
      const delayMs = Math.min(reconnectMsMax, reconnectMsFirst * 2 ** failures)
      failures += 1
      logger.info({ msg: 'Head socket closed', host: new URL(url).host, delayMs })
      reconnectTimer = setTimeout(connect, delayMs)
    })
  }

  if (urls.length > 0) connect()
  return {
    isOpen: () => isSubscribed,
    close() {
      isClosed = true
      clearTimeout(reconnectTimer)
      socket?.terminate()
    },
  }
}

/** A message of a node; `result` is set for answers. */
type Message = { id?: unknown; result?: unknown; error?: unknown; announced?: unknown }

function parseMessage(text: string): Message {
  try {
    const json = (JSON.parse(text) ?? {}) as Message & { params?: { result?: unknown } }
    const { id, result, error, params } = json
    const isAnswer = result !== undefined && result !== null
    return { id: isAnswer ? id : undefined, result, error, announced: params?.result }
  } catch {
    return {}
  }
}
