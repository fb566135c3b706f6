import { isIP } from 'node:net'
import { checkServerIdentity, type PeerCertificate } from 'node:tls'
import type { TlsOptions } from '@nats-io/transport-node'

/** How lines are encrypted, as the client of NATS takes it: what it does not know goes to Node's. */
type TlsLine = TlsOptions & { checkServerIdentity: ReturnType<typeof createIdentityCheck> }

export function tlsOptionsOf(urls: readonly string[], tls: TlsOptions): TlsLine {
  const hosts = urls.map((url) => new URL(url).hostname.replace(/^\[|\]$/g, ''))
  return { ...tls, checkServerIdentity: createIdentityCheck(hosts) }
}

/**
 * The client tells no name of a server that is given by its address, and its certificate would be held to 'localhost': it is held to the addresses
 * that are configured, one of which it must be for.
 */
function createIdentityCheck(hosts: readonly string[]) {
  const addresses = hosts.filter((host) => isIP(host) !== 0)
  return (name: string, certificate: PeerCertificate): Error | undefined => {
    const fault = checkServerIdentity(name, certificate)
    if (fault === undefined || hosts.includes(name)) return fault
    const isOurs = addresses.some((host) => checkServerIdentity(host, certificate) === undefined)
    return isOurs ? undefined : fault
  }
}

/** What to do about what a connection failed with. */
export function natsAdvice(reason: string): string {
  if (/certificate|altnames|signed/i.test(reason))
    return 'nats.ca_file must have who signed their certificates, and these the names or addresses in nats.urls.'
  if (/authorization|authentication/i.test(reason))
    return 'They do not know us: nats.user and nats.password, nats.token or nats.credentials_file.'
  return 'They need JetStream (nats-server -js), and of three at least two.'
}
