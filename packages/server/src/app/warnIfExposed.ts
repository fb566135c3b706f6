import { isIPv4, isIPv6 } from 'node:net'
import type { Config } from '../config/schema.ts'
import type { Logger } from '../lib/logger.ts'

/**
 * Says whether keys and admin keys may cross a network in the clear: the service speaks plain HTTP, and only a proxy of the
 * operator's own, which `trusted_proxies` names, can stand between it and strangers with TLS.
 */
export function warnIfExposed(
  { host, trusted_proxies: proxies }: Pick<Config['server'], 'host' | 'trusted_proxies'>,
  address: string,
  logger: Pick<Logger, 'warn'>,
): boolean {
  if (proxies.length > 0 || isLoopback(host)) return false
  logger.warn({ msg: 'Listening beyond this machine without TLS in front', address })
  return true
}

function isLoopback(host: string): boolean {
  const bare = host.toLowerCase().replace(/^\[|\]$/g, '')
  if (isIPv4(bare)) return bare.startsWith('127.')
  if (isIPv6(bare)) return /^(0*:)*:?0*1$/.test(bare) || /^::ffff:127\./.test(bare)
  return bare === 'localhost' || bare.endsWith('.localhost')
}
