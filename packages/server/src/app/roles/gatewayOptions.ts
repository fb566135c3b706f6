import type { Config } from '../../config/schema/schema.ts'
import { fixedAddressLimits } from '../../gateway/clients/addressUsage.ts'
import type { GatewayOptions } from '../../gateway/gateway.ts'
import { fixedGatewayLimits } from '../../gateway/http/serverOptions.ts'
import { fixedSubscriptionLimits } from '../../gateway/ws/subscriptions/subscriptionLimits.ts'
import { fixedWsLimits } from '../../gateway/ws/wsLimits.ts'
import { isLoopback } from '../../lib/loopback.ts'

/** Gateway options that follow from the config only. */
export function gatewayOptionsOf(config: Config) {
  const { server, limits } = config
  return {
    host: server.host,
    port: server.port,
    metricsAt: placeOf(server.metrics_host, server.metrics_port),
    adminAt: placeOf(server.admin_host, server.admin_port),
    isCompressionEnabled: server.compression,
    trustedProxies: server.trusted_proxies,
    addressLimits: {
      ...fixedAddressLimits,
      connectionsMax: limits.address_connections_max,
      anonymousRequestsPerS: limits.stranger_requests_per_s,
    },
    responseEnvelope: config.compat ? 'always' : config.response_envelope,
    isKeyInUdfPath: config.udf_path_keys,
    baseUrls: config.base_urls,
    corsOrigins: server.cors_origins,
    limits: {
      ...fixedGatewayLimits,
      connectionsMax: limits.connections_max,
      headAgeSMax: limits.head_age_s_max,
      encodedRowsBytesMax: limits.encoded_rows_bytes_max,
    },
    socketLimits: {
      ...fixedWsLimits,
      socketsMax: limits.sockets_max,
      sendMsMax: fixedGatewayLimits.sendMsMax,
      subscriptions: { ...fixedSubscriptionLimits, bytesMax: limits.subscription_bytes_max },
      pingMs: config.fixed.ping_ms,
    },
  } satisfies Partial<GatewayOptions>
}

function placeOf(host: string, port: number | undefined) {
  return port === undefined ? null : { host, port }
}

/**
 * Returns whether the start prints a URL that opens the terminal without a key. Only for a service
 * on loopback without a proxy: elsewhere the output goes to logs that many can read, and the URL
 * would cross a network.
 */
export function printsTerminalUrl({ role, server }: Pick<Config, 'role' | 'server'>): boolean {
  const hosts = [
    server.host,
    ...(server.metrics_port === undefined ? [] : [server.metrics_host]),
    ...(server.admin_port === undefined ? [] : [server.admin_host]),
  ]
  const isLocal = server.trusted_proxies.length === 0 && hosts.every(isLoopback)
  // An indexer serves no terminal.
  return server.browser_keys && isLocal && role !== 'indexer'
}
