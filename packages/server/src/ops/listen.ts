import { WebSocket } from 'ws'
import { ListenLostError, ListenRefusedError } from './errors.ts'

export type ListenOptions = {
  /** Base URL of a service, such as http://127.0.0.1:8080. */
  url: string
  apiKey: string
  topic: string
  /** Params of the topic. A token or pair id is short for two params: address and chain. */
  words: readonly string[]
  /** Aborting closes the connection and resolves `listen`. */
  signal: AbortSignal
  /** Receives each message unchanged, starting with the answer to the subscription. */
  onMessage(text: string): void
}

/**
 * Subscribes and passes on messages until the signal aborts. Rejects if the service refuses the
 * subscription or disconnects.
 */
export async function listen(options: ListenOptions): Promise<void> {
  const { url, apiKey, topic, words, signal, onMessage } = options
  const params = subscribeParams(topic, words)
  const address = `${url.replace(/^http/, 'ws').replace(/\/+$/, '')}/ws`
  const socket = new WebSocket(address, { headers: { 'X-API-KEY': apiKey } })
  const onAbort = () => socket.close()
  signal.addEventListener('abort', onAbort)
  try {
    await new Promise<void>((resolve, reject) => {
      const lost = (reason: string) =>
        signal.aborted ? resolve() : reject(new ListenLostError({ address, reason }))
      socket.on('open', () =>
        socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscribe', params })),
      )
      socket.on('message', (data) => {
        const text = String(data)
        const refusal = refusalIn(text)
        if (refusal === null) onMessage(text)
        else reject(new ListenRefusedError({ reason: refusal }))
      })
      socket.on('unexpected-response', (_, { statusCode }) =>
        reject(new ListenRefusedError({ reason: `HTTP status ${statusCode}` })),
      )
      socket.on('error', ({ message }) => lost(message))
      socket.on('close', (code, reason) => lost(`closed with ${code} ${String(reason)}`.trim()))
    })
  } finally {
    signal.removeEventListener('abort', onAbort)
    socket.terminate()
  }
}

/** Returns the error message if this message refuses the subscription; null otherwise. */
function refusalIn(text: string): string | null {
  const { error } = JSON.parse(text) as { error?: { message: string } }
  return error?.message ?? null
}

/**
 * Splits an `<address>-<chain>` id in params into the address and the chain, which becomes the last
 * param.
 */
export function subscribeParams(topic: string, words: readonly string[]): string[] {
  let chain: string | null = null
  const params = words.map((word) => {
    const at = word.lastIndexOf('-')
    if (at <= 0) return word
    chain ??= word.slice(at + 1)
    return word.slice(0, at)
  })
  return [topic, ...params, ...(chain === null || params.includes(chain) ? [] : [chain])]
}
