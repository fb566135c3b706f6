import type { Config } from '../config/schema.ts'
import type { GatewayOptions } from '../gateway/gateway.ts'

/** What the gateway takes from the config alone. */
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
      connectionsMax: limits.address_connections_max,
      strangerRequestsPerS: limits.stranger_requests_per_s,
      failedKeysPerMin: limits.failed_keys_per_min,
      failedAdminKeysPerMin: limits.failed_admin_keys_per_min,
      addressesMax: limits.addresses_max,
    },
    responseEnvelope: config.response_envelope,
    baseUrls: config.base_urls,
    corsOrigins: server.cors_origins,
    limits: {
      bodyBytesMax: limits.body_bytes_max,
      connectionsMax: limits.connections_max,
      requestMsMax: limits.request_ms_max,
      sendMsMax: limits.send_ms_max,
      unsentBytesMax: limits.unsent_bytes_max,
      headAgeSMax: limits.head_age_s_max,
      encodedRowsBytesMax: limits.encoded_rows_bytes_max,
    },
    socketLimits: {
      socketsMax: limits.sockets_max,
      messageBytesMax: limits.message_bytes_max,
      batchCallsMax: limits.batch_calls_max,
      outboxBytesMax: limits.outbox_bytes_max,
      refusedMessagesPerMin: limits.refused_messages_per_min,
      sendMsMax: limits.send_ms_max,
      subscriptions: {
        bytesMax: limits.subscription_bytes_max,
        keyBytesMax: limits.key_subscription_bytes_max,
        unknownMax: limits.unknown_items_max,
        keyUnknownMax: limits.key_unknown_items_max,
      },
      pingMs: limits.ping_ms,
      pongMsMax: limits.pong_ms_max,
      closeMsMax: limits.socket_close_ms_max,
    },
  } satisfies Partial<GatewayOptions>
}

function placeOf(host: string, port: number | undefined) {
  return port === undefined ? null : { host, port }
}
