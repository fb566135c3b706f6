import { expect, test } from 'vitest'
import { loadConfig } from './load.ts'

test('default: no file, no environment, no flags', () => {
  const { config, warnings } = loadConfig({ env: {} })
  expect(warnings).toEqual([])
  expect(config).toMatchInlineSnapshot(`
    {
      "base_urls": [
        "http://127.0.0.1:8080",
        "http://localhost:8080",
      ],
      "chains": {},
      "data_dir": ".chaintape",
      "devnet": {
        "blocks_max": 20000,
        "history_s": 1800,
        "port": 8545,
        "seed": 1,
      },
      "limits": {
        "backfill_batch_blocks_max": 500,
        "backfill_ranges_max": 4,
        "batch_calls_max": 500,
        "body_bytes_max": 65536,
        "connections_max": 60000,
        "encoded_rows_bytes_max": 536870912,
        "head_age_s_max": 120,
        "key_cache_count_max": 10000,
        "key_cache_ms": 5000,
        "key_lookup_ms_max": 1000,
        "key_lookups_max": 1000,
        "log_range_blocks_max": 2000,
        "message_bytes_max": 1048576,
        "outbox_bytes_max": 4194304,
        "ping_ms": 25000,
        "pong_ms_max": 20000,
        "queue_blocks_max": 2000,
        "queue_bytes_max": 256000000,
        "read_connections_max": 10,
        "read_ms_max": 30000,
        "request_ms_max": 30000,
        "resolve_ms_max": 300,
        "risk_check_ms_max": 8000,
        "risk_checks_max": 4,
        "risk_checks_waiting_max": 64,
        "risk_log_blocks_max": 10000,
        "risk_report_age_s_max": 600,
        "risk_report_blocks_max": 50,
        "risk_reports_max": 10000,
        "rpc_batch_requests_max": 100,
        "rpc_ms_max": 10000,
        "smart_wallets_every_ms": 300000,
        "smart_wallets_max": 1000,
        "smart_wallets_ms_max": 8000,
        "smart_wallets_window_s_max": 2592000,
        "snapshot_every_ms": 300000,
        "socket_close_ms_max": 5000,
        "sockets_max": 50000,
        "stop_ms_max": 10000,
        "usage_write_ms": 500,
      },
      "log": {
        "level": "info",
      },
      "plans": {
        "free": {
          "credits_per_period": 1000000,
          "messages_per_s": 50,
          "price_ids_max": 200,
          "requests_per_s": 1,
          "sockets_max": 5,
          "subscriptions_max": 1000,
        },
        "normal": {
          "credits_per_period": 10000000,
          "messages_per_s": 100,
          "price_ids_max": 500,
          "requests_per_s": 5,
          "sockets_max": 10,
          "subscriptions_max": 5000,
        },
        "pro": {
          "credits_per_period": 100000000,
          "messages_per_s": 500,
          "price_ids_max": 1000,
          "requests_per_s": 20,
          "sockets_max": 50,
          "subscriptions_max": 50000,
        },
        "unlimited": {
          "credits_per_period": 0,
          "messages_per_s": 0,
          "price_ids_max": 0,
          "requests_per_s": 0,
          "sockets_max": 0,
          "subscriptions_max": 0,
        },
      },
      "response_envelope": "contract",
      "retention": {
        "klines_k1_days": 90,
        "klines_s1_days": 1,
        "liquidity_days": 30,
        "log_days": 2,
        "swaps_days": 30,
      },
      "server": {
        "compression": false,
        "cors_origins": [
          "*",
        ],
        "host": "127.0.0.1",
        "port": 8080,
        "trust_proxy": false,
      },
    }
  `)
})
