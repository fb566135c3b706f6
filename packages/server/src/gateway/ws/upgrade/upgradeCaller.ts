import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Clients } from '../../clients/clients.ts'
import { isRateLimited } from '../../clients/strangers.ts'
import { RequestError } from '../../errors.ts'
import type { SocketHolder, SocketKeys } from '../../keys/keySockets.ts'
import { refuseUpgrade } from './refuseUpgrade.ts'

/**
 * Key holder that asks for a WebSocket. A rejection is sent as an error message on the opened
 * WebSocket.
 */
export type UpgradeCaller = SocketHolder | Promise<SocketHolder>

/**
 * Identifies the client of an upgrade. Returns null if the client's address is over its limits; the
 * client then got an HTTP error.
 */
export function createUpgradeCallers(
  keys: SocketKeys,
  { addresses, book, strangers }: Clients,
): (request: IncomingMessage, socket: Duplex) => UpgradeCaller | null {
  /**
   * Enforces `address_connections_max` behind a proxy, where each WebSocket counts as a connection
   * of its client. Returns false at the limit.
   */
  function admit(request: IncomingMessage, socket: Duplex): boolean {
    if (addresses.ofPeer(request.socket.remoteAddress) !== null) return true
    const address = addresses.ofRequest(request)
    if (!book.connect(address)) return false
    socket.once('close', () => book.disconnect(address))
    return true
  }

  function identify(request: IncomingMessage): UpgradeCaller {
    try {
      const found = keys.identify(upgradeKey(request))
      if (found instanceof Promise) found.catch((error) => strangers.refusal(request, error))
      return found
    } catch (error) {
      const refused = strangers.refusal(request, error)
      if (isRateLimited(refused)) throw refused
      return unidentified(error)
    }
  }

  return (request, socket) => {
    try {
      if (!admit(request, socket)) throw tooMany()
      return identify(request)
    } catch (error) {
      if (!(error instanceof RequestError)) throw error
      refuseUpgrade(socket, error)
      return null
    }
  }
}

function tooMany(): RequestError {
  return new RequestError(
    'limit_exceeded',
    'Your address has as many WebSockets as it may (address_connections_max).',
  )
}

/** Defers an error until after the handshake, where it is sent on the WebSocket. */
function unidentified(error: unknown): Promise<SocketHolder> {
  const refused = Promise.reject<SocketHolder>(error)
  refused.catch(() => undefined)
  return refused
}

const paths: ReadonlySet<string> = new Set(['/', '/ws'])

/** Returns whether a path accepts WebSockets: `/` and `/ws` do. */
export function isSocketPath(url: string | undefined): boolean {
  return paths.has((url ?? '').split('?', 1)[0]!)
}

/**
 * Returns the API key of an upgrade: from the X-API-KEY header, or from the query for browsers,
 * which cannot set headers.
 */
export function upgradeKey({ headers, url = '' }: IncomingMessage): string | undefined {
  const header = headers['x-api-key']
  if (header !== undefined) return Array.isArray(header) ? header.join() : header
  const query = url.indexOf('?')
  if (query === -1) return undefined
  return new URLSearchParams(url.slice(query + 1)).get('api_key') ?? undefined
}
