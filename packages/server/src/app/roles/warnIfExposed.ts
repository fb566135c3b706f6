import type { Config } from '../../config/schema/schema.ts'
import type { Logger } from '../../lib/logger.ts'
import { isLoopback } from '../../lib/loopback.ts'

/**
 * Warns if keys may cross a network unencrypted: the service speaks plain HTTP beyond loopback, and
 * `trusted_proxies` names no proxy that could add TLS.
 */
export function warnIfExposed(
  { host, trusted_proxies: proxies }: Pick<Config['server'], 'host' | 'trusted_proxies'>,
  address: string,
  logger: Pick<Logger, 'warn'>,
): boolean {
  if (proxies.length > 0 || isLoopback(host)) return false
  logger.warn({ msg: 'Listening on a public address without TLS', address })
  return true
}
