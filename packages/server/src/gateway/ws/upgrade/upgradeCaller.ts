import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Clients } from '../../clients/clients.ts'
import { isRateLimited } from '../../clients/strangers.ts'
import { RequestError } from '../../errors.ts'
import type { SocketHolder, SocketKeys } from '../../keys/keySockets.ts'
import { refuseUpgrade } from './refuseUpgrade.ts'

/** Who wants a WebSocket, or why that is not known, which is sent on the WebSocket. */
export type UpgradeCaller = SocketHolder | Promise<SocketHolder>

/** Finds out who calls. Null: its address is over its limits, and it got an error. */
export function createUpgradeCallers(
  keys: SocketKeys,
  { addresses, book, strangers }: Clients,
): (request: IncomingMessage, socket: Duplex) => UpgradeCaller | null {
  /** Behind a proxy the connections of a client are its WebSockets. False: it has as many as it may. */
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

/** The error is sent after the handshake, if that succeeds. */
function unidentified(error: unknown): Promise<SocketHolder> {
  const refused = Promise.reject<SocketHolder>(error)
  refused.catch(() => undefined)
  return refused
}

const paths: ReadonlySet<string> = new Set(['/', '/ws'])

/** Is this path one that becomes a WebSocket? */
export function isSocketPath(url: string | undefined): boolean {
  return paths.has((url ?? '').split('?', 1)[0]!)
}

/** The API key of an upgrade: from the header, or from the query for browsers, which cannot set headers. */
export function upgradeKey({ headers, url = '' }: IncomingMessage): string | undefined {
  const header = headers['x-api-key']
  if (header !== undefined) return Array.isArray(header) ? header.join() : header
  const query = url.indexOf('?')
  if (query === -1) return undefined
  return new URLSearchParams(url.slice(query + 1)).get('api_key') ?? undefined
}
