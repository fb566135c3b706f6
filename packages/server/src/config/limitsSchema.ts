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
    // A token with its pairs, windows and price takes about 5 KB.
    encoded_rows_bytes_max: limit(
      'Memory for tokens and pairs of all chains as ready JSON; a small market takes less.',
      536_870_912,
      33_554_432,
      4_000_000_000,
    ),
    connections_max: limit('Open client connections, WebSockets among them.', 60_000, 1, 1_000_000),
    request_ms_max: limit('Time a client may take to send its request.', 30_000, 100, 600_000),
    // Two megabytes, the longest list, at 35 KB/s.
    send_ms_max: limit(
      'Time a client may take to read an answer, or a WebSocket to read anything; then it is cut off.',
      60_000,
      100,
      600_000,
    ),
    unsent_bytes_max: limit(
      'Answers of all connections that wait for their readers; over it those who have waited longest are cut off.',
      268_435_456,
      1_048_576,
      64_000_000_000,
    ),
    address_connections_max: limit(
      'Open connections of one client address, an IPv6 /64 being one; further ones are closed at once.',
      4_096,
      1,
      1_000_000,
    ),
    // A page of documentation is six, a scrape one.
    stranger_requests_per_s: limit(
      'Requests without a key that works that one client address may send in a second, five times as many after a pause; then 429.',
      100,
      1,
      1_000_000,
    ),
    failed_keys_per_min: limit(
      'API keys that do not work which one client address may try in a minute; then 429.',
      600,
      1,
      1_000_000,
    ),
    failed_admin_keys_per_min: limit(
      'Wrong admin keys that one client address may try in a minute; then 429.',
      10,
      1,
      1_000_000,
    ),
    addresses_max: limit('Client addresses that are remembered for this.', 65_536, 2, 10_000_000),
    // Some 7 KB each when idle: 350 MB.
    sockets_max: limit('Open WebSockets.', 50_000, 1, 1_000_000),
    message_bytes_max: limit(
      'Size of one message from a WebSocket; over it the socket is closed with 1009.',
      1_048_576,
      1_024,
      67_108_864,
    ),
    // The burst that every plan allows, in one message.
    batch_calls_max: limit('Calls in one JSON-RPC batch.', 500, 1, 100_000),
    refused_messages_per_min: limit(
      'Calls of one WebSocket that may be refused in a minute, for whatever reason; then it is closed with 1008.',
      1_000,
      1,
      1_000_000,
    ),
    // About 1.3 KB each.
    subscription_bytes_max: limit(
      'Memory for the subscriptions of all WebSockets, whatever their plans.',
      1_073_741_824,
      1_048_576,
      64_000_000_000,
    ),
    key_subscription_bytes_max: limit(
      'Memory for the subscriptions of one API key, whatever its plan.',
      268_435_456,
      1_048_576,
      64_000_000_000,
    ),
    unknown_items_max: limit(
      'Subscriptions of all WebSockets to pairs and tokens that were not known when they were subscribed.',
      200_000,
      1,
      100_000_000,
    ),
    key_unknown_items_max: limit('Such subscriptions of one API key.', 20_000, 1, 100_000_000),
    // About 3,000 swaps. Waiting pushes are shared between sockets, so many slow readers cost little more than one.
    outbox_bytes_max: limit(
      'What may wait for one slow reader; over it the reader is told that it lags and closed with 4001.',
      4_194_304,
      65_536,
      1_073_741_824,
    ),
    // Proxies commonly cut a connection after 60 s of silence.
    ping_ms: limit('Silence after which a WebSocket is pinged.', 25_000, 100, 3_600_000),
    pong_ms_max: limit('Time a pinged WebSocket has for a sign of life.', 20_000, 100, 3_600_000),
    socket_close_ms_max: limit('Time a WebSocket has to confirm its end.', 5_000, 10, 600_000),
    key_cache_count_max: limit('API keys remembered in memory.', 10_000, 2, 10_000_000),
    key_cache_ms: limit(
      'Time an API key is trusted while the database does not tell of changes, which it else does at once.',
      5_000,
      0,
      3_600_000,
    ),
    key_lookup_ms_max: limit('Time an API key lookup may take.', 1_000, 1, 60_000),
    key_lookups_max: limit('API keys that may wait to be looked up.', 1_000, 1, 1_000_000),
    start_key_grace_s: limit(
      'Time that the API key of an earlier start on the local chain goes on working after the next start made another.',
      604_800,
      0,
      31_536_000,
    ),
    start_keys_max: limit(
      'Such keys that work at the same time, the newest among them; the oldest are revoked.',
      100,
      1,
      10_000,
    ),
    usage_write_ms: limit(
      'Time between two writes of usage; a killed process loses no more than that.',
      500,
      10,
      1_000,
    ),
    head_age_s_max: limit('Age of the newest block before health warns.', 120, 1, 86_400),
    head_ahead_s_max: limit(
      'How far the newest block may be ahead of the clock before health warns.',
      30,
      0,
      31_536_000,
    ),
    lag_growth_s_max: limit(
      'Time the distance to the newest block of the nodes may grow before health warns.',
      60,
      1,
      86_400,
    ),
    ready_lag_s: limit(
      'Block time that a chain may be behind the newest block of its nodes and count as ready.',
      60,
      1,
      86_400,
    ),
    ready_lag_blocks: limit('Blocks that it may be behind, however long they take.', 8, 1, 100_000),
    resolve_ms_max: limit(
      'Time a block may wait for facts from the node; what is late follows.',
      300,
      1,
      60_000,
    ),
    not_pool_ms: limit(
      'Time for which a contract that speaks like a pool and does not answer like one is left out before it is asked again.',
      600_000,
      1_000,
      86_400_000,
    ),
    not_pool_ms_max: limit(
      'The same for one that was asked again and again: each time it waits twice as long, up to this.',
      86_400_000,
      1_000,
      2_592_000_000,
    ),
    not_pools_max: limit(
      'Contracts of a chain that are remembered as no pools, with the blocks that their events were left out of.',
      100_000,
      100,
      10_000_000,
    ),
    creation_searches_max: limit(
      'Trusted pairs of a chain, discovered late, that wait for the search for their creation; 0: it is not looked for.',
      10_000,
      0,
      1_000_000,
    ),
    rpc_ms_max: limit('Time one HTTP request to a node may take.', 10_000, 100, 600_000),
    rpc_batch_requests_max: limit('Calls in one batch to a node.', 100, 1, 10_000),
    log_range_blocks_max: limit('Blocks in one request for logs.', 2_000, 1, 100_000),
    backfill_ranges_max: limit('Block ranges fetched at the same time in a backfill.', 4, 1, 64),
    backfill_batch_blocks_max: limit('Blocks written in one backfill transaction.', 500, 1, 10_000),
    snapshot_every_ms: limit(
      'Time between two snapshots of the market, which make starts quick.',
      300_000,
      100,
      86_400_000,
    ),
    risk_reports_max: limit(
      'Contract checks of a chain kept in memory, about 3 KB each.',
      10_000,
      1,
      10_000_000,
    ),
    risk_report_blocks_max: limit(
      'Blocks after which a contract is checked again when it is asked for.',
      50,
      0,
      1_000_000,
    ),
    risk_report_age_s_max: limit('Time after which it is, whatever the blocks.', 600, 0, 86_400),
    risk_checks_max: limit('Contracts of a chain checked at the same time.', 4, 1, 1_000),
    risk_checks_waiting_max: limit('Contracts that may wait to be checked.', 64, 0, 100_000),
    risk_check_ms_max: limit('Time one check of a contract may take.', 8_000, 100, 600_000),
    // What most public nodes answer in one go.
    risk_log_blocks_max: limit(
      'Blocks of logs one check may read; facts that need more are left out.',
      10_000,
      1,
      10_000_000,
    ),
    smart_wallets_every_ms: limit(
      'Pause between two rankings of wallets.',
      300_000,
      100,
      86_400_000,
    ),
    // Under the time for a clean stop.
    smart_wallets_ms_max: limit(
      'Time the database may take to rank the wallets of one chain.',
      8_000,
      10,
      600_000,
    ),
    smart_wallets_window_s_max: limit(
      'Trades of this long count in the ranking; shorter where the database needs too long.',
      2_592_000,
      3_600,
      31_536_000,
    ),
    smart_wallets_max: limit('Ranked wallets kept of each chain.', 1_000, 1, 100_000),
    stop_ms_max: limit('Time for a clean stop.', 10_000, 100, 600_000),
  },
  { description: 'Every limit has a name; over it there is an error that says so.', default: {} },
)

function limit(description: string, value: number, minimum: number, maximum: number) {
  return Type.Integer({ description, default: value, minimum, maximum })
}
