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
      "compat": false,
      "data_dir": ".chaintape",
      "devnet": {
        "blocks_max": 20000,
        "history_s": 1800,
        "host": "127.0.0.1",
        "port": 8545,
        "restarts_max": 5,
        "restarts_period_s": 3600,
        "seed": 1,
        "solana": true,
      },
      "fixed": {
        "creation_searches_max": 10000,
        "doubt_review_ms": 60000,
        "key_lookup_ms_max": 1000,
        "not_pool_ms": 600000,
        "ping_ms": 25000,
        "share_reads_max": 50,
        "smart_wallets_every_ms": 300000,
        "snapshot_every_ms": 300000,
        "stop_ms_max": 10000,
      },
      "limits": {
        "address_connections_max": 4096,
        "backfill_ranges_max": 4,
        "connections_max": 60000,
        "encoded_rows_bytes_max": 536870912,
        "head_age_s_max": 120,
        "history_first_blocks": 20000,
        "log_range_blocks_max": 2000,
        "queue_blocks_max": 2000,
        "read_connections_max": 10,
        "resolve_ms_max": 300,
        "risk_check_ms_max": 8000,
        "rpc_batch_requests_max": 100,
        "rpc_ms_max": 10000,
        "sockets_max": 50000,
        "stranger_requests_per_s": 100,
        "subscription_bytes_max": 1073741824,
      },
      "log": {
        "format": "auto",
        "level": "auto",
      },
      "plans": {
        "free": {
          "batch_calls_max": 100,
          "credits_per_period": 1000000,
          "message_bytes_max": 65536,
          "messages_per_s": 50,
          "price_ids_max": 200,
          "requests_per_s": 1,
          "sockets_max": 5,
          "subscriptions_max": 1000,
        },
        "normal": {
          "batch_calls_max": 200,
          "credits_per_period": 10000000,
          "message_bytes_max": 131072,
          "messages_per_s": 100,
          "price_ids_max": 500,
          "requests_per_s": 5,
          "sockets_max": 10,
          "subscriptions_max": 5000,
        },
        "pro": {
          "batch_calls_max": 500,
          "credits_per_period": 100000000,
          "message_bytes_max": 262144,
          "messages_per_s": 500,
          "price_ids_max": 1000,
          "requests_per_s": 20,
          "sockets_max": 50,
          "subscriptions_max": 50000,
        },
        "unlimited": {
          "batch_calls_max": 0,
          "credits_per_period": 0,
          "message_bytes_max": 0,
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
        "admin_host": "127.0.0.1",
        "browser_keys": true,
        "compression": false,
        "cors_origins": [
          "*",
        ],
        "host": "127.0.0.1",
        "metrics_host": "127.0.0.1",
        "port": 8080,
        "trusted_proxies": [],
      },
      "udf_path_keys": false,
    }
  `)
})
