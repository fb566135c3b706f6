import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { createRequestMetrics } from './requestMetrics.ts'

// From a memory read to a slow disk, in steps of about 2.5.
const durationBucketsMs = [0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000]

export type Metrics = ReturnType<typeof createMetrics>

/**
 * Every metric of the service, with its own registry. Names end in their unit. Metrics of the
 * process are added by `addProcessMetrics`.
 */
export function createMetrics() {
  const registry = new Registry()
  const registers = [registry]

  function counter<label extends string>(name: string, help: string, labelNames: label[]) {
    return new Counter({ name: `chaintape_${name}`, help, labelNames, registers })
  }
  function gauge<label extends string>(name: string, help: string, labelNames: label[]) {
    return new Gauge({ name: `chaintape_${name}`, help, labelNames, registers })
  }
  function histogram<label extends string>(name: string, help: string, labelNames: label[]) {
    const buckets = durationBucketsMs
    return new Histogram({ name: `chaintape_${name}`, help, labelNames, buckets, registers })
  }

  return {
    registry,
    ...createChainMetrics({ counter, gauge, histogram }),
    ...createRpcMetrics({ counter, gauge, histogram }),
    ...createStoreMetrics({ counter, gauge, histogram }),
    ...createWsMetrics({ counter, gauge, histogram }),
    requests: createRequestMetrics({ registry, bucketsMs: durationBucketsMs }),
    keyLookupFailuresTotal: counter(
      'key_lookup_failures_total',
      'API key lookups that the store did not answer in time.',
      [],
    ),
    refusedRequestsTotal: counter(
      'refused_requests_total',
      'Requests refused for their key, their rate or their credits, by reason.',
      ['reason'],
    ),
    usageWriteFailuresTotal: counter(
      'usage_write_failures_total',
      'Writes of usage that the store did not take; they are repeated.',
      [],
    ),
  }
}

/**
 * Adds memory, CPU, garbage collection and event loop of this process, which start a timer and an
 * observer.
 */
export function addProcessMetrics({ registry }: Pick<Metrics, 'registry'>): void {
  collectDefaultMetrics({ register: registry })
}

type Makers = {
  counter: <label extends string>(name: string, help: string, labels: label[]) => Counter<label>
  gauge: <label extends string>(name: string, help: string, labels: label[]) => Gauge<label>
  histogram: <label extends string>(name: string, help: string, labels: label[]) => Histogram<label>
}

function createChainMetrics({ counter, gauge, histogram }: Makers) {
  return {
    blocksTotal: counter('blocks_total', 'Blocks applied.', ['chain']),
    doubtfulBlocksTotal: counter(
      'doubtful_blocks_total',
      'Blocks applied whose logs seem wrong and that nothing could prove.',
      ['chain'],
    ),
    revertsTotal: counter('reverts_total', 'Blocks reverted by a reorg.', ['chain']),
    droppedTotal: counter('dropped_total', 'Inputs dropped, by reason.', ['chain', 'reason']),
    unclaimedShare: gauge(
      'unclaimed_share',
      'Calls of a program that look like swaps and that no venue reads, of all that do.',
      ['chain', 'program'],
    ),
    headBlock: gauge('head_block', 'Number of the newest block applied.', ['chain']),
    headTimeS: gauge('head_time_s', 'Unix time of the newest block applied.', ['chain']),
    unclaimedLogsTotal: counter(
      'unclaimed_logs_total',
      'Logs of configured factories, managers and launch platforms that no venue reads.',
      ['chain'],
    ),
    tipBlock: gauge('tip_block', 'Newest block the nodes announce.', ['chain']),
    pairsAlive: gauge('pairs_count', 'Pairs known.', ['chain']),
    tokensAlive: gauge('tokens_count', 'Tokens known.', ['chain']),
    marketResidentBytes: gauge(
      'market_resident_bytes',
      'Memory of tokens and pairs; the rest of the market is in files below the data directory.',
      ['chain'],
    ),
    marketMemoryBytes: gauge(
      'market_memory_bytes',
      'Memory that the tokens and pairs of all chains may use: the setting market_memory.',
      [],
    ),
    unknownBalances: gauge(
      'unknown_balances',
      'Balances that the database has not answered yet; their holders are not counted until then.',
      ['chain'],
    ),
    unknownPools: gauge(
      'unknown_pools',
      'Pools whose balances no node has reported yet; their reserves are 0 until then.',
      ['chain'],
    ),
    lateTokens: gauge(
      'late_tokens_count',
      'Tokens whose name and decimals no node has reported yet; they are asked again.',
      ['chain'],
    ),
    openHistories: gauge(
      'open_histories_count',
      'Tokens whose transfers from before they were discovered are still being read.',
      ['chain'],
    ),
    notPools: gauge(
      'not_pools_count',
      'Contracts remembered because they speak like pools and do not answer like one.',
      ['chain'],
    ),
    applyMs: histogram('apply_ms', 'Time the engine takes for one log entry.', ['chain']),
    blockToMarketMs: histogram(
      'block_to_market_ms',
      'Time from a block arriving to its market events being out.',
      ['chain'],
    ),
  }
}

function createRpcMetrics({ counter, gauge }: Makers) {
  const labels: ('chain' | 'use' | 'endpoint')[] = ['chain', 'use', 'endpoint']
  return {
    rpcCallsTotal: counter(
      'rpc_calls_total',
      'Calls to the nodes, by how they ended: ok or the kind of the error, for example rateLimited.',
      [...labels, 'outcome' as const],
    ),
    rpcHedgesTotal: counter(
      'rpc_hedges_total',
      'Questions that were put to this endpoint too because another was slow.',
      labels,
    ),
    rpcFaultsTotal: counter(
      'rpc_faults_total',
      'Answers of this endpoint that contradicted themselves or left something out.',
      labels,
    ),
    rpcHealthyState: gauge(
      'rpc_healthy_state',
      '0 while the endpoint is asked last: after failures, or because it contradicted itself.',
      labels,
    ),
    rpcLatencyMs: gauge('rpc_latency_ms', 'Time to an answer, as a moving average.', labels),
  }
}

function createStoreMetrics({ counter, gauge }: Makers) {
  return {
    snapshotBlock: gauge('snapshot_block', 'Block of the newest snapshot taken.', ['chain']),
    snapshotFailuresTotal: counter(
      'snapshot_failures_total',
      'Snapshots that could not be taken; the next one is tried in its time.',
      [],
    ),
    queueBlocks: gauge('queue_blocks', 'Blocks applied and not yet in the database.', ['chain']),
    persistedBlock: gauge('persisted_block', 'Newest block in the database.', ['chain']),
    pausedState: gauge('paused_state', '1 while ingestion waits for the database or a node.', [
      'chain',
    ]),
  }
}

function createWsMetrics({ counter, gauge }: Makers) {
  return {
    wsSockets: gauge('ws_sockets', 'Open WebSockets.', []),
    wsSubscriptions: gauge('ws_subscriptions', 'Subscribed items of all WebSockets.', []),
    wsMessagesTotal: counter('ws_messages_total', 'Messages received.', []),
    wsRateLimitedTotal: counter('ws_rate_limited_total', 'Calls refused for their rate.', []),
    wsPushesTotal: counter('ws_pushes_total', 'Pushes written to sockets.', []),
    wsSentBytesTotal: counter('ws_sent_bytes_total', 'Bytes of answers and pushes written.', []),
    wsConflatedTotal: counter(
      'ws_conflated_total',
      'Pushes that a slow reader did not get because a newer one of the same key came.',
      [],
    ),
    wsLaggedClosesTotal: counter(
      'ws_lagged_closes_total',
      'Sockets closed because their reader was too slow.',
      [],
    ),
  }
}
