import type { Config } from '../config/schema/schema.ts'
import type { Logger } from '../lib/logger.ts'
import { isLoopback } from '../lib/loopback.ts'

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
