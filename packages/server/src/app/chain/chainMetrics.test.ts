import { expect, test } from 'vitest'
import { createRpcStats } from '../../kinds/intake.ts'
import { createMetrics } from '../../lib/metrics.ts'
import type { PipelineProgress } from '../pipeline/chainPipeline.ts'
import { createProgressMetrics } from './chainMetrics.ts'

const progress: PipelineProgress = {
  startNumber: 0,
  headNumber: 9,
  headTimeS: 0,
  finalizedNumber: 3,
  settledNumber: 3,
  cursorNumber: 7,
  isLive: true,
  lastError: null,
  dropped: { malformedLogs: 2, eventsOfNoPool: 5 },
  lateTokens: 4,
  openHistories: 1,
  notPools: 3,
  endpoints: [],
  unknownBalances: 0,
  unknownPools: 6,
  busyMs: 0,
  waitsFor: null,
  unresolvedPools: 0,
}

/** Lines of the exposition that have a value, without the process metrics. */
async function shownBy(metrics: ReturnType<typeof createMetrics>): Promise<string[]> {
  const text = await metrics.registry.metrics()
  return text
    .split('\n')
    .filter((line) => /^chaintape_(rpc|dropped|late|open_|not_|unknown_pools|unclaimed)/.test(line))
}

test('default: counts repeated totals once', async () => {
  const metrics = createMetrics()
  const show = createProgressMetrics(metrics, 'eth')
  show(progress, [])
  const unclaimedLogs = { rows: [], total: 3 }
  show({ ...progress, dropped: { malformedLogs: 2, eventsOfNoPool: 8 }, unclaimedLogs }, [])
  expect(await shownBy(metrics)).toEqual([
    'chaintape_dropped_total{chain="eth",reason="malformedLogs"} 2',
    'chaintape_dropped_total{chain="eth",reason="eventsOfNoPool"} 8',
    'chaintape_unclaimed_logs_total{chain="eth"} 3',
    'chaintape_unknown_pools{chain="eth"} 6',
    'chaintape_late_tokens_count{chain="eth"} 4',
    'chaintape_open_histories_count{chain="eth"} 1',
    'chaintape_not_pools_count{chain="eth"} 3',
  ])
})

test('behavior: reports endpoints by use', async () => {
  const metrics = createMetrics()
  const show = createProgressMetrics(metrics, 'eth')
  const tally = createRpcStats()
  const of = { endpoint: '0:a', method: 'eth_call', durationMs: 1, bytes: 1 }
  tally.onMetric({ type: 'request', ...of, outcomes: { ok: 3 } })
  tally.onMetric({ type: 'request', ...of, outcomes: { rateLimited: 2 } })
  tally.onMetric({ type: 'hedge', endpoint: '0:a' })
  tally.onMetric({ type: 'fault', endpoint: '0:a', fault: 'contradiction' })
  const status = { name: '0:a', isHealthy: false, latencyMs: 12, lastError: null }
  const read = () => tally.read({ status: () => [status as never] })
  show({ ...progress, dropped: {}, endpoints: read() }, [])
  tally.onMetric({ type: 'request', ...of, outcomes: { ok: 4 } })
  show({ ...progress, dropped: {}, endpoints: read() }, read())
  const labels = (use: string) => `chain="eth",use="${use}",endpoint="0"`
  const linesOf = (use: string) => [
    `chaintape_rpc_calls_total{${labels(use)},outcome="ok"} 7`,
    `chaintape_rpc_calls_total{${labels(use)},outcome="rateLimited"} 2`,
    `chaintape_rpc_hedges_total{${labels(use)}} 1`,
    `chaintape_rpc_faults_total{${labels(use)}} 1`,
    `chaintape_rpc_healthy_state{${labels(use)}} 0`,
    `chaintape_rpc_latency_ms{${labels(use)}} 12`,
  ]
  const shown = (await shownBy(metrics)).filter((line) => line.includes('rpc'))
  expect(shown.sort()).toEqual([...linesOf('index'), ...linesOf('answers')].sort())
})

test('behavior: reports unclaimed programs while they are among those with most calls', async () => {
  const metrics = createMetrics()
  const show = createProgressMetrics(metrics, 'solana')
  const shown = async () =>
    (await metrics.registry.metrics())
      .split('\n')
      .filter((line) => line.startsWith('chaintape_unclaimed_share'))
  const first = { program: 'First', calls: 3, share: 0.25 }
  show({ ...progress, unclaimed: [first] }, [])
  expect(await shown()).toEqual(['chaintape_unclaimed_share{chain="solana",program="First"} 0.25'])
  show({ ...progress, unclaimed: [{ ...first, program: 'Next', share: 0.5 }] }, [])
  expect(await shown()).toEqual(['chaintape_unclaimed_share{chain="solana",program="Next"} 0.5'])
})
