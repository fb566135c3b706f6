// The product's own WebSocket server and feed, for real sockets.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fixedSubscribeRateLimits } from '../../packages/server/src/gateway/ws/subscriptions/subscriptionLimits.ts'
import { createWsServer } from '../../packages/server/src/gateway/ws/wsServer.ts'
import { createLogger } from '../../packages/server/src/lib/logger.ts'
import { createMetrics } from '../../packages/server/src/lib/metrics.ts'
import { defaultSocketLimits } from '../../test/support/gatewayDefaults.ts'
import { createMemoryKeys, unlimitedHolder, validKey } from '../../test/support/memoryKeys.ts'
import { createUnlimitedClients } from '../../test/support/unlimitedClients.ts'
import { createBenchMarket } from './benchMarket.ts'
import { type Pace, startPacer } from './pacer.ts'
import { answerQuestions, quantile, report } from './serverProtocol.ts'

export type OursOptions = Pace & {
  /** Number of pairs among which pushes rotate. */
  pairs: number
  outboxBytesMax?: number
}

const options = JSON.parse(process.argv[2]!) as OursOptions
const market = createBenchMarket(options.pairs)
const { outboxBytesMax = defaultSocketLimits.outboxBytesMax } = options
const keys = createMemoryKeys(new Map([['key', unlimitedHolder(validKey)]]))
const server = createWsServer({
  feed: market.feed,
  keys,
  clock: { nowMs: Date.now },
  logger: createLogger('error'),
  metrics: createMetrics(),
  limits: {
    ...defaultSocketLimits,
    outboxBytesMax,
    // All clients share one key.
    subscriptions: {
      ...defaultSocketLimits.subscriptions,
      subscribeRate: { ...fixedSubscribeRateLimits, keyItemsPerS: 1e9 },
    },
  },
  isCompressionEnabled: false,
  clients: createUnlimitedClients(keys),
})
const http = createServer()
server.attach(http)
await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))

const writtenMs: number[] = []
const control = await startPacer({
  ...options,
  publish: (marks, firstSeq) =>
    market.commit(
      marks.map((txHash, at) => ({ pair: (firstSeq - 1 + at) % options.pairs, txHash })),
    ),
  ...(options.ticksPerS === null ? {} : { onWritten: (ms) => writtenMs.push(ms) }),
})

answerQuestions({
  written() {
    const sorted = writtenMs.splice(0).sort((left, right) => left - right)
    const [p50, p99, max] = [0.5, 0.99, 1].map((share) => quantile(sorted, share))
    report({ event: 'written', count: sorted.length, p50: p50!, p99: p99!, max: max! })
  },
  stats: () => report({ event: 'stats', stats: server.stats() }),
})
report({ event: 'ready', port: (http.address() as AddressInfo).port, control })
