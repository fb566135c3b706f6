/**
 * Every table with data in any version of the schema, referenced ones first. Without
 * `schema_versions`: the header has the version, and restoring writes the table again.
 */
export const storedTables: readonly string[] = [
  'chains',
  'cursors',
  'snapshots',
  'snapshot_chunks',
  'log',
  'log_consumers',
  'undo',
  'doubtful_blocks',
  'left_out',
  'tokens',
  'pairs',
  'supplies',
  'launches',
  'balances',
  'holder_bars',
  'swaps',
  'liquidity',
  'klines_s1',
  'klines_k1',
  'klines',
  'smart_wallets',
  'smart_wallet_runs',
  'risk_reports',
  'keys',
  'key_seeds',
  'usage',
  'credits',
  'usage_sessions',
]
