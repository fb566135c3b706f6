import { databaseServersOf } from '../../lib/databaseServers.ts'
import { isLoopback } from '../../lib/loopback.ts'
import type { Config } from '../schema/schema.ts'

/** A setting that sends passwords and data to another machine unencrypted. */
export type UnencryptedSetting = { path: string; host: string; remedy: string }

const encryptedModes: ReadonlySet<string> = new Set([
  'require',
  'verify-ca',
  'verify-full',
  // Encrypts, but accepts any certificate.
  'no-verify',
])

/** Unencrypted connections to PostgreSQL and NATS on other machines. */
export function unencryptedSettingsOf(
  config: Pick<Config, 'database_url' | 'database_read_url' | 'nats'>,
): UnencryptedSetting[] {
  const lines = [
    ...databaseLines('database_url', config.database_url),
    ...databaseLines('database_read_url', config.database_read_url),
    ...natsLines(config.nats),
  ]
  return lines.filter(({ host }) => !isHere(host))
}

function databaseLines(path: string, url: string | undefined): UnencryptedSetting[] {
  const servers = url === undefined ? [] : databaseServersOf(url)
  return servers.flatMap((server) => {
    const params = new URLSearchParams(server.replace(/^[^?]*/, ''))
    const isOn = ['true', '1'].includes(params.get('ssl') ?? '')
    if (isOn || encryptedModes.has(params.get('sslmode') ?? '')) return []
    // A URL without a host before the path connects locally.
    const host = params.get('host') ?? (URL.canParse(server) ? new URL(server).hostname : '')
    return [{ path, host: decodeURIComponent(host), remedy: 'add ?sslmode=verify-full' }]
  })
}

function natsLines({ urls, ca_file: caFile }: Config['nats']): UnencryptedSetting[] {
  // One tls:// address, or an authority, encrypts the connections to all servers.
  if (caFile !== undefined || urls.some((url) => url.startsWith('tls:'))) return []
  return urls.map((url, at) => ({
    path: `nats.urls[${at}]`,
    host: URL.canParse(url) ? new URL(url).hostname : '',
    remedy: 'write tls:// or set nats.ca_file',
  }))
}

/** True if the host is a Unix socket or this machine, where encryption is not needed. */
function isHere(host: string): boolean {
  return host === '' || host.startsWith('/') || isLoopback(host)
}
