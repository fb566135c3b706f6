import type { Metrics } from '../../lib/metrics.ts'

/**
 * Counts of the WebSocket server. Plain numbers, because they change with every push; the
 * Prometheus metrics follow once a second.
 */
export type WsStats = {
  sockets: number
  subscriptions: number
  pushesSent: number
  bytesSent: number
  pushesConflated: number
  laggedCloses: number
  messages: number
  rateLimited: number
}

export function createWsStats(): WsStats {
  return {
    sockets: 0,
    subscriptions: 0,
    pushesSent: 0,
    bytesSent: 0,
    pushesConflated: 0,
    laggedCloses: 0,
    messages: 0,
    rateLimited: 0,
  }
}

/** Returns a function that adds what changed since its last call to the metrics. */
export function createStatsReporter(stats: WsStats, metrics: Metrics): () => void {
  let reported = createWsStats()
  return () => {
    metrics.wsSockets.set(stats.sockets)
    metrics.wsSubscriptions.set(stats.subscriptions)
    metrics.wsPushesTotal.inc(stats.pushesSent - reported.pushesSent)
    metrics.wsSentBytesTotal.inc(stats.bytesSent - reported.bytesSent)
    metrics.wsConflatedTotal.inc(stats.pushesConflated - reported.pushesConflated)
    metrics.wsLaggedClosesTotal.inc(stats.laggedCloses - reported.laggedCloses)
    metrics.wsMessagesTotal.inc(stats.messages - reported.messages)
    metrics.wsRateLimitedTotal.inc(stats.rateLimited - reported.rateLimited)
    reported = { ...stats }
  }
}
