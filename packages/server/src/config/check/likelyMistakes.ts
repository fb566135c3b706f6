import { chainKindOf } from '../../kinds/chainKinds.ts'
import type { ConfigProblem } from '../../kinds/configProblem.ts'
import { databaseServersOf } from '../../lib/databaseServers.ts'
import { isLoopback } from '../../lib/loopback.ts'
import type { Config } from '../schema/schema.ts'

// Placeholders of examples and providers' pages: https://..., <key>, YOUR_KEY, ${KEY}, or a last
// part that only says KEY.
const placeholder = /\.\.\.|…|<[^>]*>|%3C|\$\{|\byour[-_ ]?|\/(api[-_]?)?key$|x{6}/i

/** Settings that are valid and almost surely a mistake: a service that starts and has no data. */
export function likelyMistakesOf(config: Config): ConfigProblem[] {
  const ofChains = Object.entries(config.chains).flatMap(([name, chain]) => {
    const path = `chains.${name}`
    const urls = chainKindOf(chain).urlsOf?.(chain) ?? []
    const advice = urls.flatMap(({ path: at, url }) =>
      placeholder.test(url) ? [{ path: `${path}.${at}`, message: 'looks like a placeholder' }] : [],
    )
    const pools = chainKindOf(chain).poolSourcesOf?.(chain)
    if (pools?.length === 0)
      advice.push({
        path,
        message: 'no factories configured: without a trusted pool nothing can be priced',
      })
    if (chain.stables.length === 0 && chain.native_usd_from === undefined)
      advice.push({
        path,
        message: 'neither stables nor native_usd_from configured: nothing can be priced in USD',
      })
    return advice
  })
  const inTheClear = unencryptedSettingsOf(config).map(({ path, host, remedy }) => ({
    path,
    message: `sends passwords and data to ${host} unencrypted: ${remedy}`,
  }))
  return [...ofChains, ...inTheClear]
}

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
