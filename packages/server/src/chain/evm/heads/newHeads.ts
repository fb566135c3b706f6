import { WebSocket } from 'ws'
import type { Logger } from '../../../lib/logger.ts'
import { type EvmHeader, parseHeader, parseQuantity } from '../fetch/rawBlock.ts'

export type NewHeadsOptions = {
  /** Tried in turn. */
  urls: readonly string[]
  /** The chain that they must be of, asked at each connection; undefined: whatever it is. */
  chainId: number | undefined
  onHead: (header: EvmHeader) => void
  logger: Logger
}

/** Announcements of new blocks. Only a hint that something is new: they get lost and go silent. */
export type NewHeads = {
  isOpen(): boolean
  close(): void
}

const reconnectMsFirst = 500
const reconnectMsMax = 30_000
// A header is under 2 kB; more is not one.
const messageBytesMax = 1_048_576
// Finds dead connections that TCP does not report.
const pingMs = 15_000

export function createNewHeads({ urls, chainId, onHead, logger }: NewHeadsOptions): NewHeads {
  let socket: WebSocket | null = null
  let isSubscribed = false
  let failures = 0
  let isClosed = false
  let reconnectTimer: NodeJS.Timeout | undefined

  function connect(): void {
    const url = urls[failures % urls.length]!
    const current = new WebSocket(url, { maxPayload: messageBytesMax, handshakeTimeout: 10_000 })
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
    const ask = (question: object) => current.send(JSON.stringify({ jsonrpc: '2.0', ...question }))
    current.on('open', () => ask(chainId === undefined ? subscription : chainQuestion))
    current.on('message', (data) => {
      isAlive = true
      const message = parseMessage(String(data))
      if (message.chainId !== null) {
        if (message.chainId === chainId) ask(subscription)
        else {
          const facts = { host: new URL(url).host, chainId: message.chainId }
          logger.error({ msg: 'Refused a head socket of another network', ...facts })
          current.close()
        }
      }
      if (message.isSubscribed) {
        isSubscribed = true
        failures = 0
      }
      if (message.isRefused) current.close()
      if (message.header !== null) onHead(message.header)
    })
    // Each error is followed by close, which decides.
    current.on('error', (error) =>
      logger.debug({ msg: 'Head socket failed', error: error.message }),
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

const subscription = { id: 1, method: 'eth_subscribe', params: ['newHeads'] }
const chainQuestion = { id: 2, method: 'eth_chainId', params: [] }

type HeadMessage = {
  isSubscribed: boolean
  isRefused: boolean
  /** Null: it does not speak of it. */
  chainId: number | null
  header: EvmHeader | null
}

function parseMessage(text: string): HeadMessage {
  let json: { id?: unknown; result?: unknown; error?: unknown; params?: { result?: unknown } }
  try {
    json = JSON.parse(text) ?? {}
  } catch {
    return { isSubscribed: false, isRefused: false, chainId: null, header: null }
  }
  const isText = typeof json.result === 'string'
  return {
    isSubscribed: json.id === subscription.id && isText,
    isRefused: json.error !== undefined,
    chainId: json.id === chainQuestion.id && isText ? parseQuantity(json.result) : null,
    header: parseHeader(json.params?.result),
  }
}
