import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'

type Refusal = { status: number; message: string }

/**
 * Keeps web pages away from a server: browsers let any page send requests to this machine, and this
 * chain's accounts are unlocked. Runs before the server's listeners, for requests and for upgrades
 * to WebSocket.
 */
export function guardFromPages(server: Server, host: string): void {
  const onRequest = takeListeners(server, 'request')
  const onUpgrade = takeListeners(server, 'upgrade')
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const refusal = refusalOf(request, host) ?? bodyRefusalOf(request)
    if (refusal !== null) refuseRequest(response, refusal)
    else for (const listener of onRequest) listener.call(server, request, response)
  })
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const refusal = refusalOf(request, host)
    if (refusal !== null) refuseUpgrade(socket, refusal)
    else for (const listener of onUpgrade) listener.call(server, request, socket, head)
  })
}

function takeListeners(server: Server, event: 'request' | 'upgrade') {
  const listeners = server.listeners(event) as ((...args: unknown[]) => void)[]
  server.removeAllListeners(event)
  return listeners
}

/** Browsers always send these two headers, and no page can change them. */
function refusalOf({ headers, socket }: IncomingMessage, host: string): Refusal | null {
  // This server has no pages, so a requesting page is another site's; it may not read answers
  // either.
  if (headers.origin !== undefined)
    return { status: 403, message: 'The local chain takes no requests of web pages (Origin).' }
  // A foreign name that points at this machine gives its page the same origin (DNS rebinding).
  const name = hostNameOf(headers.host ?? '')
  if (
    !isLoopback(name) &&
    name !== host.toLowerCase() &&
    name !== plainAddress(socket.localAddress)
  )
    return {
      status: 403,
      message: 'The local chain takes requests for localhost and the address it listens on (Host).',
    }
  return null
}

/** A page may send text or a form without a preflight request, but never JSON. */
function bodyRefusalOf({ headers }: IncomingMessage): Refusal | null {
  if (/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '')) return null
  return { status: 415, message: 'The local chain takes application/json (Content-Type).' }
}

/** Without its port. */
function hostNameOf(hostHeader: string): string {
  const name = hostHeader.toLowerCase().replace(/:\d*$/, '')
  return name.startsWith('[') && name.endsWith(']') ? name.slice(1, -1) : name
}

function isLoopback(name: string): boolean {
  return name === 'localhost' || name === '::1' || /^127(\.\d{1,3}){3}$/.test(name)
}

/** A dual-stack socket writes IPv4 addresses in a longer form. */
function plainAddress(address: string | undefined): string | undefined {
  return address?.replace(/^::ffff:/, '')
}

function bodyOf({ message }: Refusal): string {
  return JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32600, message } })
}

function refuseRequest(response: ServerResponse, refusal: Refusal): void {
  // The request's body is not read, so the connection cannot be reused.
  response.writeHead(refusal.status, { 'content-type': 'application/json', connection: 'close' })
  response.end(bodyOf(refusal))
}

function refuseUpgrade(socket: Duplex, refusal: Refusal): void {
  socket.on('error', () => undefined)
  const lines = [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
    'Content-Type: application/json',
    'Connection: close',
  ]
  socket.end(`${lines.join('\r\n')}\r\n\r\n${bodyOf(refusal)}`)
}
