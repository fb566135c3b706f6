import type { ConfigProblem } from '../../kinds/configProblem.ts'
import { envName } from '../schema/fields.ts'

const removedLimits = [
  'addresses_max',
  'backfill_batch_blocks_max',
  'batch_calls_max',
  'body_bytes_max',
  'creation_searches_max',
  'doubt_review_ms',
  'failed_admin_keys_per_min',
  'failed_keys_per_min',
  'head_ahead_s_max',
  'key_cache_count_max',
  'key_cache_ms',
  'key_lookup_ms_max',
  'key_lookups_max',
  'key_subscription_bytes_max',
  'key_unknown_items_max',
  'lag_growth_s_max',
  'message_bytes_max',
  'not_pool_ms',
  'not_pool_ms_max',
  'not_pools_max',
  'outbox_bytes_max',
  'ping_ms',
  'pong_ms_max',
  'queue_bytes_max',
  'read_ms_max',
  'ready_lag_blocks',
  'ready_lag_s',
  'refused_messages_per_min',
  'request_ms_max',
  'risk_checks_max',
  'risk_checks_waiting_max',
  'risk_log_blocks_max',
  'risk_report_age_s_max',
  'risk_report_blocks_max',
  'risk_reports_max',
  'send_ms_max',
  'share_reads_max',
  'smart_wallets_every_ms',
  'smart_wallets_max',
  'smart_wallets_ms_max',
  'smart_wallets_window_s_max',
  'snapshot_every_ms',
  'socket_close_ms_max',
  'start_key_grace_s',
  'start_keys_max',
  'stop_ms_max',
  'unknown_items_max',
  'unsent_bytes_max',
  'usage_write_ms',
]

/** Settings of earlier versions by their path, each with what serves in its place. */
const removedSettings: ReadonlyMap<string, string> = new Map([
  ['server.trust_proxy', 'name the proxies in server.trusted_proxies'],
  ...removedLimits.map((name) => [`limits.${name}`, 'this limit is fixed'] as const),
])

/**
 * Takes settings out that earlier versions had, and warns of each: an upgrade must not end a service for a line of its
 * config that has no effect any more.
 */
export function dropRemovedSettings(given: Record<string, unknown>): ConfigProblem[] {
  const warnings: ConfigProblem[] = []
  for (const [path, instead] of removedSettings) {
    const keys = path.split('.')
    const last = keys.pop()!
    let parent: unknown = given
    for (const key of keys) parent = (parent as Record<string, unknown> | undefined)?.[key]
    if (typeof parent !== 'object' || parent === null || !Object.hasOwn(parent, last)) continue
    delete (parent as Record<string, unknown>)[last]
    warnings.push({ path, message: messageOf(instead) })
  }
  return warnings
}

/** What to say of a variable of the environment that sets one of them; null: it does not. */
export function removedVariable(name: string): string | null {
  for (const [path, instead] of removedSettings)
    if (name === envName(path.replaceAll('.', '_'))) return messageOf(instead)
  return null
}

function messageOf(instead: string): string {
  return `is no setting any more and has no effect; ${instead}`
}
