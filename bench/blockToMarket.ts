// Latency from a block's arrival (its parsed announcement) to its market events, through the real
// threads, while the market trades live: a block is mined when the previous one is applied.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EvmChainSetup } from '../packages/server/src/kinds/evm/evmSetup.ts'
import type { AppliedEntry, EntryConsumer } from '../packages/server/src/model/logEntry.ts'
import { riskLimitsDefault } from '../packages/server/src/risk/riskChecker.ts'
import { type BenchTable, countText } from './benchTable.ts'
import { loadCompiled } from './loadCompiled.ts'
import { type MarketNode, startMarketNode } from './startMarketNode.ts'

const warmBlocks = 50
const measuredBlocks = 400

export async function runBlockToMarketBench(): Promise<BenchTable> {
  const node = await startMarketNode()
  const dataDir = await mkdtemp(join(tmpdir(), 'chaintape-bench-'))
  const latenciesMs: number[] = []
  let swapCount = 0
  let waiting: (() => void) | null = null
  let reached = -1

  function onApplied({ entry }: AppliedEntry): void {
    if (entry.type !== 'commit') return
    latenciesMs.push(Date.now() - entry.block.receivedMs)
    swapCount += entry.block.events.filter(({ type }) => type === 'swap').length
    reached = entry.block.ref.number
    waiting?.()
  }

  const service = await openService(node, dataDir, { name: 'bench', onApplied })
  try {
    await node.mine(20)
    for (let block = 0; block < warmBlocks + measuredBlocks; block += 1) {
      if (block === warmBlocks) {
        latenciesMs.length = 0
        swapCount = 0
      }
      const number = await node.mine(1)
      while (reached < number)
        await new Promise<void>((resolve) => {
          waiting = resolve
        })
    }
    const sorted = latenciesMs.sort((a, b) => a - b)
    const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)]!
    return {
      name: `block to market event: ${sorted.length} live blocks, ${countText(swapCount)} swaps`,
      rows: [
        { metric: 'p50, ms', value: at(0.5).toFixed(1) },
        { metric: 'p99, ms', value: at(0.99).toFixed(1) },
      ],
    }
  } finally {
    await service.stop()
    node.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** Starts the compiled service without its gateway: threads run compiled code only. */
async function openService(
  node: MarketNode,
  dataDir: string,
  consumer: EntryConsumer,
): Promise<{ stop(): Promise<void> }> {
  const { createLogger } = await loadCompiled('lib/logger')
  const { createMetrics } = await loadCompiled('lib/metrics')
  const { startPrivatePostgres } = await loadCompiled('store/privatePostgres')
  const { openStore } = await loadCompiled('store/openStore')
  const { openChainRuntime } = await loadCompiled('app/chain/chainRuntime')
  const logger = createLogger('warn')
  const server = await startPrivatePostgres({ dataDir, logger })
  const store = await openStore({ connection: server.connection, logger })
  const { multicall3, ...profile } = node.profile
  const runtime = await openChainRuntime({
    kind: 'evm',
    storeName: profile.name,
    profile,
    startBlock: 0,
    store,
    connection: server.connection,
    logger,
    consumers: [consumer],
    retention: {},
    riskLimits: riskLimitsDefault,
    headLimits: { aheadSMax: 30, growthSMax: 60 },
    readyLimits: { lagSMax: 60, lagBlocksMax: 8, headAgeSMax: 120 },
    readyOnce: new Set(),
    writerLimits: { queueBlocksMax: 2_000, queueBytesMax: 256_000_000, batchBlocksMax: 500 },
    metrics: createMetrics(),
    onFatal(error: Error) {
      throw error
    },
    onRewind: () => undefined,
    onStopped(error: Error) {
      throw error
    },
  })
  const setup: EvmChainSetup = {
    kind: 'evm',
    profile,
    storeName: profile.name,
    multicall3,
    startBlock: 0,
    pollMs: 250,
    endpoints: [{ httpUrl: node.rpcUrl, wsUrl: node.wsUrl }],
    finality: { type: 'depth', blocks: 32 },
    chainId: undefined,
    blocks: {},
    limits: {
      ignoreMs: 600_000,
      creationSearchesMax: 0,
      shareReadsMax: 0,
      resolveMsMax: 300,
      rpcMsMax: 10_000,
      rpcBatchRequestsMax: 100,
      logRangeBlocksMax: 2_000,
      backfillRangesMax: 4,
      entriesAheadMax: 256,
    },
  }
  await runtime.start(setup)
  return {
    async stop() {
      await runtime.stop()
      await store.close()
      await server.stop()
    },
  }
}
