// The whole gateway with default limits over a market that trades, in a separate process.
import { Worker } from 'node:worker_threads'
import { answerMcp, operationOf } from '../../packages/mcp/src/index.ts'
import { createFeed } from '../../packages/server/src/gateway/feed/createFeed.ts'
import { createGateway } from '../../packages/server/src/gateway/gateway.ts'
import { createKeyAccess } from '../../packages/server/src/gateway/keys/createKeyAccess.ts'
import type { Plan } from '../../packages/server/src/gateway/keys/plan.ts'
import { createLogger } from '../../packages/server/src/lib/logger.ts'
import { createMetrics } from '../../packages/server/src/lib/metrics.ts'
import type { LogEntry } from '../../packages/server/src/model/logEntry.ts'
import { gatewayDefaults } from '../../test/support/gatewayDefaults.ts'
import { createMemoryKeyStore } from '../../test/support/memoryKeyStore.ts'
import { unlimitedPlan } from '../../test/support/memoryKeys.ts'
import { createMemoryStore } from '../../test/support/memoryStore.ts'
import { chainName, createRestMarket } from '../rest/market.ts'
import { freeKey, goodKey, hoardKey } from './floodKeys.ts'

const [tokenCount = 20_000, blockEveryMs = 100] = process.argv.slice(2).map(Number)
const blockSwaps = 20

const { chain, pairs, orderSwaps } = createRestMarket(tokenCount, tokenCount)
const { gatewayChain, engine } = chain
const chains = new Map([[chainName, gatewayChain]])
const aheadMs = (engine.head()?.timeS ?? 0) * 1_000 - Date.now()
const clock = { nowMs: () => Date.now() + aheadMs }
const logger = createLogger('silent')
const metrics = createMetrics()
const freePlan: Plan = {
  ...unlimitedPlan,
  name: 'free',
  requestsPerS: 1,
  socketsMax: 5,
  subscriptionsMax: 1_000,
  priceIdsMax: 200,
  messagesPerS: 50,
  messageBytesMax: 65_536,
  batchCallsMax: 100,
}
const keyStore = createMemoryKeyStore()
keyStore.put(goodKey, { plan: 'unlimited' })
keyStore.put(hoardKey, { plan: 'unlimited' })
keyStore.put(freeKey, { plan: 'free' })
const keys = createKeyAccess({
  store: keyStore,
  clock,
  logger,
  metrics,
  plans: new Map([unlimitedPlan, freePlan].map((plan) => [plan.name, plan])),
  limits: { keysMax: 10_000, trustMs: 30_000, lookupMsMax: 1_000, lookupsMax: 1_000, flushMs: 500 },
})
const feed = createFeed({ chains, history: null, clock, logger })
const { socketLimits } = gatewayDefaults
const gateway = createGateway({
  ...gatewayDefaults,
  version: '0',
  chains,
  keys,
  feed,
  clock,
  logger,
  metrics,
  store: createMemoryStore(),
  mcp: async () => ({
    operationOf,
    answer: ({ request, ...call }) => answerMcp({ ...call, version: '0' }, request),
  }),
  // Limits of a million subscriptions for one key, which are above the defaults.
  socketLimits: {
    ...socketLimits,
    subscriptions: { ...socketLimits.subscriptions, bytesMax: 4e9, keyBytesMax: 4e9 },
  },
})

/** Processes an entry as the program does: engine, then pushes. */
function takeBlock(): void {
  let entry!: LogEntry
  const { apply } = engine
  engine.apply = (next) => {
    entry = next
    return apply.call(engine, next)
  }
  const events = chain.mine(Math.max(0, Math.floor(clock.nowMs() / 1_000) - engine.head()!.timeS))
  engine.apply = apply
  feed.onApplied({ chain: chainName, seq: chain.gatewayChain.version(), entry, events })
  orderSwaps(blockSwaps)
}

orderSwaps(blockSwaps)
const code = `const { parentPort } = require('node:worker_threads')
  setInterval(() => parentPort.postMessage(0), ${blockEveryMs})`
new Worker(code, { eval: true, execArgv: [] }).on('message', takeBlock)

process.on('disconnect', () => process.exit(0))
const port = Number(new URL(await gateway.listen()).port)
process.send?.({ type: 'ready', port, pairs: pairs.map(({ address }) => address) })
