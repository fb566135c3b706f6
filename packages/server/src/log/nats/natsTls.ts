import { isIP } from 'node:net'
import { checkServerIdentity, type PeerCertificate } from 'node:tls'
import type { TlsOptions } from '@nats-io/transport-node'

/** TLS options in the form of the NATS client, which passes unknown ones to Node. */
type TlsLine = TlsOptions & { checkServerIdentity: ReturnType<typeof createIdentityCheck> }

export function natsTlsOptionsOf(urls: readonly string[], tls: TlsOptions): TlsLine {
  const hosts = urls.map((url) => new URL(url).hostname.replace(/^\[|\]$/g, ''))
  return { ...tls, checkServerIdentity: createIdentityCheck(hosts) }
}

/**
 * For servers given by IP address the client passes no server name, and Node would compare the
 * certificate with 'localhost'. Instead it must match one of the configured addresses.
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

/** Advice for a failed connection. */
export function natsAdvice(reason: string): string {
  if (/certificate|altnames|signed/i.test(reason))
    return 'nats.ca_file must have who signed their certificates, and these the names or addresses in nats.urls.'
  if (/authorization|authentication/i.test(reason))
    return 'They do not know us: nats.user and nats.password, nats.token or nats.credentials_file.'
  return 'They need JetStream (nats-server -js), and of three at least two.'
}
