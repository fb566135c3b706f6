import { isLoopback } from '../../lib/loopback.ts'
import type { Lifecycle } from './serverOptions.ts'

/** Where clients reach the service, as its documents say. */
export type Servers = Lifecycle & { urls(): readonly string[] }

// Nothing reads a document before the server listens, but tests.
const unknownUrls = ['http://localhost']

/** Without configured addresses, the one that the server listens on, with the real port. */
export function createServers(baseUrls: readonly string[] | undefined): Servers {
  let urls = baseUrls ?? unknownUrls
  return {
    urls: () => urls,
    start(address) {
      urls = baseUrls ?? urlsOf(address)
    },
  }
}

/** A service of this machine is known by its address and by name. */
function urlsOf(address: string): readonly string[] {
  const { hostname, port } = new URL(address)
  const byName = `http://localhost${port === '' ? '' : `:${port}`}`
  if (hostname === '[::]') return [byName]
  return isLoopback(hostname) ? [address, byName] : [address]
}
