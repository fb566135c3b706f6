import type { Config } from '../config/schema.ts'
import type { GatewayLimits } from '../gateway/httpServer.ts'

export function gatewayLimitsOf({ limits }: Config): GatewayLimits {
  return {
    bodyBytesMax: limits.body_bytes_max,
    connectionsMax: limits.connections_max,
    requestMsMax: limits.request_ms_max,
    keyCacheCountMax: limits.key_cache_count_max,
    keyCacheMs: limits.key_cache_ms,
    keyLookupMsMax: limits.key_lookup_ms_max,
    headAgeSMax: limits.head_age_s_max,
  }
}
