import { WebSocket } from 'ws'
import { ListenLostError, ListenRefusedError } from './errors.ts'

export type ListenOptions = {
  /** Address of a service, as http://127.0.0.1:8080. */
  url: string
  apiKey: string
  topic: string
  /** Its params; an id stands for address and chain. */
  words: readonly string[]
  /** Ends it well. */
  signal: AbortSignal
  /** Each message of the service as it came, the answer to the subscription first. */
  onMessage(text: string): void
}

/** Subscribes and hands over what is pushed until it is stopped; rejects when the service refuses or ends it. */
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

/** Why the subscription was refused, where this is the answer that says so. */
function refusalIn(text: string): string | null {
  const { error } = JSON.parse(text) as { error?: { message: string } }
  return error?.message ?? null
}

/** `<address>-<chain>` in params stands for the address, and for the chain that comes last. */
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
