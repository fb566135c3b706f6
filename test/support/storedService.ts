// What is stored of a local chain, served over HTTP at a fixed time by the parts of the program itself. No node is read
// and no clock is looked at, so two versions of the program must answer the same bytes.

import { readyLimitsOf } from '../../packages/server/src/app/chain/chainLag.ts'
import { openChainRuntime } from '../../packages/server/src/app/chain/chainRuntime.ts'
import { headLimitsOf } from '../../packages/server/src/app/chain/headWatch.ts'
import { riskLimitsOf } from '../../packages/server/src/app/chain/nodeReads.ts'
import { localEvm } from '../../packages/server/src/app/devnet/devnetSetup.ts'
import type { SavedDevnet } from '../../packages/server/src/app/devnet/savedDevnet.ts'
import { gatewayOptionsOf } from '../../packages/server/src/app/gatewayOptions.ts'
import { keyPlansOf } from '../../packages/server/src/app/keys/keyPlans.ts'
import { openKeyAccess } from '../../packages/server/src/app/keys/openKeyAccess.ts'
import { loadConfig } from '../../packages/server/src/config/load.ts'
import { createFeed } from '../../packages/server/src/gateway/feed/createFeed.ts'
import { createGateway } from '../../packages/server/src/gateway/gateway.ts'
import type { GatewayChain } from '../../packages/server/src/gateway/gatewayChain.ts'
import { createKeyAdmin } from '../../packages/server/src/gateway/keys/keyAdmin.ts'
import { createMetrics } from '../../packages/server/src/lib/metrics.ts'
import { openStore } from '../../packages/server/src/store/openStore.ts'
import { silentLogger as logger, type TestConnection } from './postgres.ts'
import { keepAllDays } from './program.ts'

export type RecordedRequest = { method: 'GET' | 'POST'; url: string; body?: string }

export type StoredService = {
  ask(request: RecordedRequest, key: string): Promise<{ status: number; text: string }>
  stop(): Promise<void>
}

export type StoredServiceOptions = {
  connection: TestConnection
  /** The chain, as the data directory names it. */
  saved: SavedDevnet
  nowMs: number
}

const writerLimits = { queueBlocksMax: 100, queueBytesMax: 10_000_000, batchBlocksMax: 10 }

function rethrow(error: unknown): never {
  throw error
}

export async function serveStored(options: StoredServiceOptions): Promise<StoredService> {
  const { connection, saved, nowMs } = options
  const { config } = loadConfig({ flags: { port: '0' }, env: {} })
  const clock = { nowMs: () => nowMs }
  const metrics = createMetrics()
  const store = await openStore({ connection, logger })
  const runtime = await openChainRuntime({
    ...saved,
    kind: localEvm.kind,
    startBlock: localEvm.startBlock,
    retention: keepAllDays,
    store,
    connection,
    writerLimits,
    riskLimits: riskLimitsOf(config),
    logger,
    metrics,
    headLimits: headLimitsOf(config, saved.profile.name),
    readyLimits: readyLimitsOf(config),
    readyOnce: new Set<string>(),
    onFatal: rethrow,
    onStopped: rethrow,
    onRewind: rethrow,
  })
  const chains = new Map<string, GatewayChain>([[saved.profile.name, runtime.gatewayChain]])
  const feed = createFeed({ chains, history: null, clock, logger })
  feed.open(saved.profile.name)
  const keys = openKeyAccess(config, { store, clock, logger, metrics, isSeeded: () => true })
  const plans = keyPlansOf(config)
  const gateway = createGateway({
    ...gatewayOptionsOf(config),
    version: '0.0.0',
    chains,
    keys,
    store,
    feed,
    metrics,
    logger,
    clock,
    admin: { adminKey: undefined, keys: createKeyAdmin({ store, plans, clock }), plans },
  })
  const address = await gateway.listen()

  return {
    async ask({ method, url, body }, key) {
      const headers = { 'X-API-KEY': key, ...(body && { 'Content-Type': 'application/json' }) }
      const response = await fetch(`${address}${url}`, { method, headers, body: body ?? null })
      return { status: response.status, text: await response.text() }
    },
    async stop() {
      await gateway.close()
      await keys.close()
      await runtime.stop()
      await store.close()
    },
  }
}
