import { Type } from 'typebox'

/** Every limit that is not a chain's own. */
export const limitsSchema = Type.Object(
  {
    queue_blocks_max: limit(
      'Blocks applied and not yet in the database before ingestion pauses.',
      2_000,
      1,
      1_000_000,
    ),
    queue_bytes_max: limit(
      'Memory those blocks may take before ingestion pauses.',
      256_000_000,
      1_000_000,
      64_000_000_000,
    ),
    read_connections_max: limit('Connections to the database for reads.', 10, 1, 1_000),
    read_ms_max: limit('Time one read of the database may take.', 30_000, 10, 600_000),
    body_bytes_max: limit('Size of a request body.', 65_536, 1_024, 16_777_216),
    connections_max: limit('Open client connections.', 10_000, 1, 1_000_000),
    request_ms_max: limit('Time a client may take to send its request.', 30_000, 100, 600_000),
    key_cache_count_max: limit('API keys remembered in memory.', 10_000, 1, 10_000_000),
    key_cache_ms: limit(
      'Time an API key is trusted before it is looked up again; a revocation takes that long.',
      5_000,
      0,
      3_600_000,
    ),
    key_lookup_ms_max: limit('Time an API key lookup may take.', 1_000, 1, 60_000),
    head_age_s_max: limit('Age of the newest block before health warns.', 120, 1, 86_400),
    resolve_ms_max: limit(
      'Time a block may wait for facts from the node; what is late follows.',
      300,
      1,
      60_000,
    ),
    rpc_ms_max: limit('Time one RPC request may take.', 10_000, 100, 600_000),
    rpc_batch_requests_max: limit('Requests in one RPC batch.', 100, 1, 10_000),
    log_range_blocks_max: limit('Blocks in one request for logs.', 2_000, 1, 100_000),
    backfill_ranges_max: limit('Block ranges fetched at the same time in a backfill.', 4, 1, 64),
    backfill_batch_blocks_max: limit('Blocks written in one backfill transaction.', 500, 1, 10_000),
    snapshot_every_ms: limit(
      'Time between two snapshots of the market, which make starts quick.',
      300_000,
      100,
      86_400_000,
    ),
    stop_ms_max: limit('Time for a clean stop.', 10_000, 100, 600_000),
  },
  { description: 'Every limit has a name; over it there is an error that says so.', default: {} },
)

function limit(description: string, value: number, minimum: number, maximum: number) {
  return Type.Integer({ description, default: value, minimum, maximum })
}
