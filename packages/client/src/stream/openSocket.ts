import { ChaintapeError } from '../errors.ts'
import { baseOf, type Key } from '../rest/send.ts'

// biome-ignore lint/suspicious/noExplicitAny: events of sockets differ by platform
type Handler = ((event: any) => void) | null

/** The used part of a WebSocket. */
export type SocketLike = {
  onopen: Handler
  onmessage: Handler
  onclose: Handler
  onerror: Handler
  send(text: string): void
  close(code?: number): void
}

/** The platform's WebSocket, or a compatible one such as that of the package `ws`. */
export type SocketClass = new (
  url: string,
  // biome-ignore lint/suspicious/noExplicitAny: a list of protocols in browsers, options elsewhere
  options?: any,
) => SocketLike

export type SocketOptions = {
  url?: string
  key?: Key
  /** @default the platform's, or that of the package `ws` on Node 20 */
  WebSocket?: SocketClass
  /** How the key is sent. @default `header` on Node and Bun, `query` where headers cannot be set */
  keyIn?: 'header' | 'query'
}

export async function openSocket(options: SocketOptions): Promise<SocketLike> {
  const { key, keyIn = canSetHeaders() ? 'header' : 'query' } = options
  const Socket = await socketClassOf(options)
  const url = `${baseOf(options.url).replace(/^http/, 'ws')}/ws`
  const keyText = typeof key === 'function' ? await key() : key
  if (keyText === undefined) return new Socket(url)
  if (keyIn === 'header') return new Socket(url, { headers: { 'X-API-KEY': keyText } })
  return new Socket(`${url}?api_key=${encodeURIComponent(keyText)}`)
}

// A variable, because bundlers would resolve a literal package name.
const socketPackage = 'ws'

/** The given class, the platform's, or that of the package ws: Node 20 has none of its own. */
export async function socketClassOf(
  { WebSocket }: SocketOptions,
  load: (name: string) => Promise<{ WebSocket: SocketClass }> = (name) =>
    import(/* @vite-ignore */ /* webpackIgnore: true */ name),
): Promise<SocketClass> {
  const found = WebSocket ?? (globalThis as { WebSocket?: SocketClass }).WebSocket
  if (found !== undefined) return found
  try {
    return (await load(socketPackage)).WebSocket
  } catch (cause) {
    throw new ChaintapeError(
      'This platform has no WebSocket (Node has one from version 22 on): install the package ws, or pass a class as createTape({ WebSocket }).',
      { code: 'missing_param', param: 'WebSocket', cause },
    )
  }
}

/** Node and Bun accept headers in place of protocols; browsers and most workers do not. */
function canSetHeaders(): boolean {
  const platform = globalThis as {
    process?: { versions?: { node?: string } }
    Deno?: unknown
    WebSocketPair?: unknown
    document?: unknown
  }
  if (platform.Deno !== undefined || platform.WebSocketPair !== undefined) return false
  return platform.document === undefined && platform.process?.versions?.node !== undefined
}
