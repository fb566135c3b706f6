// The real HTTP server over a market of many tokens, in a separate process. It receives orders over
// IPC and answers each once.
import { Worker } from 'node:worker_threads'
import { createFeed } from '../../packages/server/src/gateway/feed/createFeed.ts'
import { noFeedOptions } from '../../packages/server/src/gateway/feed/params/feedOptions.ts'
import { createHttpServer } from '../../packages/server/src/gateway/http/httpServer.ts'
import { createKeyAccess } from '../../packages/server/src/gateway/keys/createKeyAccess.ts'
import type { Plan } from '../../packages/server/src/gateway/keys/plan.ts'
import { createLogger } from '../../packages/server/src/lib/logger.ts'
import { createMetrics } from '../../packages/server/src/lib/metrics.ts'
import type { LogEntry } from '../../packages/server/src/model/logEntry.ts'
import { gatewayDefaults } from '../../test/support/gatewayDefaults.ts'
import { createMemoryKeyStore } from '../../test/support/memoryKeyStore.ts'
import { unlimitedPlan } from '../../test/support/memoryKeys.ts'
import { createMemoryStore } from '../../test/support/memoryStore.ts'
import { wallet } from '../../test/support/servedChain.ts'
import { createUnlimitedClients } from '../../test/support/unlimitedClients.ts'
import { limitedKey, unlimitedKey } from './calls.ts'
import { chainName, createRestMarket } from './market.ts'

export type ServerOrder =
  | { type: 'cpu' }
  /**
   * Applies a block every `everyMs`, received from another thread as from a chain's thread; 0
   * stops.
   */
  | { type: 'blocks'; everyMs: number; swaps: number }
  /** Returns the block latencies since the last such order. */
  | { type: 'delays' }
/** Latency from a block's arrival to its last push: waiting for the event loop, engine, pushes. */
export type BlockDelay = { waitMs: number; applyMs: number; pushMs: number; allMs: number }
export type ServerAnswer =
  | { type: 'ready'; port: number }
  | { type: 'cpu'; cpuMs: number }
  | { type: 'blocks' }
  | { type: 'delays'; delays: BlockDelay[] }

const [tokenCount = 100_000, tradedCount = tokenCount] = process.argv.slice(2).map(Number)
const pushedPairs = 500
const holderCount = 100

const { chain, pairs, orderSwaps } = createRestMarket(tokenCount, tradedCount)
const { gatewayChain, engine } = chain
const chains = new Map([[chainName, gatewayChain]])
// The market ends at the current time; from here on its clock runs.
const aheadMs = (engine.head()?.timeS ?? 0) * 1_000 - Date.now()
const clock = { nowMs: () => Date.now() + aheadMs }
const logger = createLogger('silent')
const metrics = createMetrics()

const keyStore = createMemoryKeyStore()
const limitedPlan: Plan = {
  ...unlimitedPlan,
  name: 'limited',
  requestsPerS: 1_000_000,
  creditsPerPeriod: 1_000_000_000_000,
}
keyStore.put(unlimitedKey, { plan: 'unlimited' })
keyStore.put(limitedKey, { plan: 'limited' })
const keys = createKeyAccess({
  store: keyStore,
  clock,
  logger,
  metrics,
  plans: new Map([unlimitedPlan, limitedPlan].map((plan) => [plan.name, plan])),
  limits: { keysMax: 10_000, trustMs: 30_000, lookupMsMax: 1_000, lookupsMax: 1_000, flushMs: 500 },
})

const holders = Array.from({ length: holderCount }, (_, at) => ({
  wallet: wallet(at),
  balance: 10n ** 24n / BigInt(at + 1),
}))
const app = createHttpServer({
  version: '0.0.0',
  chains,
  keys,
  clock,
  logger,
  metrics,
  clients: createUnlimitedClients(keys),
  store: { ...createMemoryStore(), topHolders: async () => ({ holders, number: 0 }) },
  limits: { ...gatewayDefaults.limits, bodyBytesMax: 262_144 },
  responseEnvelope: 'contract',
  baseUrls: ['http://localhost'],
  corsOrigins: ['*'],
})

const feed = createFeed({ chains, history: null, clock, logger })
let pushedMs = 0
const socket = {}
for (const { address } of pairs.slice(0, pushedPairs))
  for (const item of [`tx:${address}-${chainName}`, `kline:${address}-${chainName}:k1`]) {
    const options = noFeedOptions
    const send = () => {
      pushedMs = wallMs()
    }
    feed.add({ key: item }, { id: 1, isDetailed: false, options, socket, send })
  }

function wallMs(): number {
  return performance.timeOrigin + performance.now()
}

let delays: BlockDelay[] = []
/** Processes an entry as the program does: engine, then pushes. */
function takeBlock(comeMs: number, swaps: number): void {
  const startMs = wallMs()
  const stepS = Math.max(0, Math.floor(clock.nowMs() / 1_000) - engine.head()!.timeS)
  const { entry, events } = mine(stepS)
  const appliedMs = wallMs()
  feed.onApplied({ chain: chainName, seq: chain.gatewayChain.version(), entry, events })
  delays.push({
    waitMs: startMs - comeMs,
    applyMs: appliedMs - startMs,
    pushMs: pushedMs - appliedMs,
    allMs: pushedMs - comeMs,
  })
  // The next block is prepared before it is due: creating it is not the server's work.
  orderSwaps(swaps)
}

/** Passes the feed the entry that the chain's own `mine` creates. */
function mine(stepS: number) {
  let entry!: LogEntry
  const { apply } = engine
  engine.apply = (next) => {
    entry = next
    return apply.call(engine, next)
  }
  const events = chain.mine(stepS)
  engine.apply = apply
  return { entry, events }
}

let blockThread: Worker | null = null
function setBlocks(everyMs: number, swaps: number): void {
  void blockThread?.terminate()
  blockThread = null
  if (everyMs === 0) return
  orderSwaps(swaps)
  const code = `const { parentPort } = require('node:worker_threads')
    setInterval(() => parentPort.postMessage(performance.timeOrigin + performance.now()), ${everyMs})`
  blockThread = new Worker(code, { eval: true, execArgv: [] })
  blockThread.on('message', (comeMs: number) => takeBlock(comeMs, swaps))
}

const tell = (answer: ServerAnswer) => process.send?.(answer)
process.on('message', (order: ServerOrder) => {
  if (order.type === 'cpu') {
    const { user, system } = process.cpuUsage()
    tell({ type: 'cpu', cpuMs: (user + system) / 1_000 })
  } else if (order.type === 'blocks') {
    setBlocks(order.everyMs, order.swaps)
    tell({ type: 'blocks' })
  } else {
    tell({ type: 'delays', delays })
    delays = []
  }
})
process.on('disconnect', () => process.exit(0))
await app.listen({ host: '127.0.0.1', port: Number(process.argv[4] ?? 0) })
tell({ type: 'ready', port: (app.server.address() as { port: number }).port })
if (process.send === undefined) {
  console.log(app.server.address(), process.memoryUsage())
  process.on('SIGTERM', () => process.exit(0))
}
